/**
 * What a column of numbers may hold that is no number, as PostgreSQL writes it; null for anything else
 * (https://www.postgresql.org/docs/current/datatype-numeric.html).
 */
export function notNumber(text: string): string | null {
  if (/^nan$/i.test(text)) return 'NaN';
  const [, sign] = /^([+-]?)inf(?:inity)?$/i.exec(text) ?? [];
  if (sign === undefined) return null;
  return sign === '-' ? '-Infinity' : 'Infinity';
}
