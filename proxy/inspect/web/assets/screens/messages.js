// The messages of an exchange as they are: their headers, and their bodies.

import { h, replace } from '../dom.js';
import { copyBox, panel } from '../parts.js';
import { segments } from '../parts/segments.js';
import { table } from '../parts/tables.js';

/** The messages of an exchange, with what people call each. Of recorded ones there may be none. */
const messages = [
  ['request', 'Request', 'as sent'],
  ['recordedRequest', 'Request', 'on tape'],
  ['response', 'Answer', 'as served'],
  ['recordedResponse', 'Answer', 'on tape'],
];

/**
 * The headers of an exchange.
 * @param {object} exchange of view.Exchange
 */
export function headers(exchange) {
  return h(
    'div',
    { class: 'cols of-msgs' },
    present(exchange).map(([message, title, which]) =>
      panel(
        title,
        `${which}: ${message.line ?? ''}`,
        null,
        fields(message.header, `${title} ${which}`),
        message.trailer?.length > 0 && [
          h('h3', { class: 'pad' }, 'Trailer'),
          fields(message.trailer, `Trailer ${which}`),
        ],
      ),
    ),
  );
}

/**
 * The bodies of an exchange, laid out or to the letter.
 * @param {object} exchange of view.Exchange
 */
export function raw(exchange) {
  const boxes = present(exchange).map(([message, title, which]) => {
    const box = h('div', { class: 'pad' });
    const draw = (form) =>
      replace(
        box,
        copyBox(
          (form === 'pretty' && message.pretty) || message.body || '(no body)',
          `${title}, ${which}`,
        ),
        message.cut && h('p', { class: 't2' }, `The beginning of ${message.size} bytes.`),
      );
    draw('pretty');
    const choice =
      message.pretty &&
      segments(
        `Form of ${title.toLowerCase()}, ${which}`,
        [
          ['pretty', 'Pretty'],
          ['raw', 'Raw'],
        ],
        'pretty',
        draw,
      );
    return panel(
      title,
      [which, message.media, `${message.size} bytes`].filter(Boolean).join(', '),
      choice,
      box,
    );
  });
  return h('div', { class: 'cols of-msgs' }, boxes);
}

function present(exchange) {
  return messages
    .filter(([name]) => exchange[name])
    .map(([name, title, which]) => [exchange[name], title, which]);
}

function fields(header, caption) {
  return table({
    class: 'ft',
    caption,
    rows: header ?? [],
    columns: [
      { head: 'Name', row: true, class: 'f', cell: (field) => field.name },
      { head: 'Value', cell: (field) => h('span', { class: 'k' }, field.value) },
    ],
  });
}
