/**
 * An identifier, quoted so that it names exactly what it says: sessions have QUOTED_IDENTIFIER on.
 * https://learn.microsoft.com/sql/t-sql/statements/set-quoted-identifier-transact-sql
 */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
