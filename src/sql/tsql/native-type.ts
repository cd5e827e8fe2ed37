/** The name of a native type without its length or precision: `nvarchar(60)` → `nvarchar`. */
export function baseType(native: string): string {
  return native.replace(/\s*\(.*$/, '').toLowerCase();
}
