/**
 * Readable API names for physical ones, where a mapping file gives none: `TBL_ORD_HDR` → `TblOrdHdr`,
 * `FIRST_NM` → `firstNm`, `Order Details` → `OrderDetails`.
 */
function words(name: string): string[] {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}

/** A dataclass's name: every word capitalised. */
export function dataclassName(physical: string): string {
  return lettersFirst(words(physical).map(capitalised).join(''), 'Table');
}

/** An attribute's name: every word but the first capitalised. */
export function attributeName(physical: string): string {
  return lettersFirst(
    words(physical)
      .map((word, index) => (index === 0 ? word.toLowerCase() : capitalised(word)))
      .join(''),
    'column',
  );
}

/** The first free name among `name`, `name2`, `name3`, … */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  let candidate = name;
  for (let number = 2; taken.has(candidate); number += 1) candidate = `${name}${number}`;
  return candidate;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

function lettersFirst(name: string, otherwise: string): string {
  return /^[A-Za-z]/.test(name) ? name : `${otherwise}${name}`;
}
