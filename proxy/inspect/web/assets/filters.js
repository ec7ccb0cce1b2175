// Filters that the page itself leads to, in the language of package filter, and what keeps a card
// number out of addresses.

/** Filters by what they show. */
export const filters = {
  declined: 'outcome:declined',
  misses: 'served:miss',
  marked: '( served:assumed or served:composed or served:ambiguous )',
  ruled: 'rule:*',
  callbacks: 'callback:*',
  failed: '( served:deck or served:nothing ) -served:miss',
};

/**
 * Puts masks in place of card numbers in a filter, before the filter goes into an address, into the
 * history or to the server. Rows have masks too, so the mask finds what the number would find.
 */
export function maskCards(text) {
  return text.replace(/\d(?:[ -]?\d){12,18}/g, (found) => {
    const digits = found.replace(/\D/g, '');
    return luhn(digits) ? `${digits.slice(0, 6)}*${digits.slice(-4)}` : found;
  });
}

function luhn(digits) {
  let sum = 0;
  [...digits].reverse().forEach((digit, i) => {
    const n = Number(digit) * ((i % 2) + 1);
    sum += n > 9 ? n - 9 : n;
  });
  return sum % 10 === 0;
}
