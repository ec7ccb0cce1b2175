// A flow as a sequence diagram of Mermaid.

/** Returns the text of a diagram for a flow of the API. */
export function mermaid(flow) {
  const lines = ['sequenceDiagram'];
  for (const actor of flow.actors ?? []) lines.push(`  participant ${actor}`);
  for (const row of flow.rows ?? []) {
    const from = row.from || 'client';
    const to = row.to || 'deck';
    lines.push(
      `  ${from}->>${to}: ${words(`#${row.id} ${row.short || row.operation || row.target || row.kind}`)}`,
    );
    const answer = [row.code || 'no answer', row.outcome?.words || row.reason].filter(Boolean);
    lines.push(`  ${to}-->>${from}: ${words(answer.join(' '))}`);
  }
  return `${lines.join('\n')}\n`;
}

// Mermaid ends a message at a new line or a semicolon, and reads # and markup as something else.
function words(text) {
  return text.replace(/[^\p{L}\p{N} .,:/_*-]/gu, (c) => `#${c.codePointAt(0)};`);
}
