/** Entities for the cases that change data: all that is mandatory, unique by the number of the case. */
import type { Given } from './write-oracle.ts';
import type { Made, WriteClient } from './write-client.ts';

/** Tells several entities of one case apart; one letter. */
export type Letter = '' | 'a' | 'b' | 'c' | 'd';

export function employee({ number }: WriteClient, letter: Letter = ''): Given {
  return {
    firstName: 'Ada',
    lastName: 'Byron',
    email: `ada${number}${letter}@case.example`,
    hireDate: '2020-01-02',
  };
}

export function category({ number }: WriteClient, letter: Letter = ''): Given {
  return { code: `Case ${number}${letter}`, position: 500 };
}

export function country({ number }: WriteClient, letter: Letter = ''): Given {
  return {
    code: `${number}${letter}`,
    name: 'Utopia',
    isoNumber: 20_000 + number * 10 + letters.indexOf(letter),
    currency: 'UTO',
  };
}

export function company({ number }: WriteClient, letter: Letter = ''): Given {
  return {
    name: `Case ${number}${letter} Ltd`,
    registrationNo: 5_000_000_000_000 + number * 10 + letters.indexOf(letter),
    country: 'FR',
  };
}

export function product({ number }: WriteClient, letter: Letter = ''): Given {
  return {
    sku: `CASE-${number}${letter}`,
    name: `Product of case ${number}${letter}`,
    category: 'Tools',
    listPrice: 12.5,
    barcode: 6_000_000_000_000 + number * 10 + letters.indexOf(letter),
  };
}

export function project({ number }: WriteClient, letter: Letter = ''): Given {
  return { code: `CASE-${number}${letter}`, name: 'Analytical engine', startDate: '2024-05-06' };
}

export function department({ number }: WriteClient, letter: Letter = ''): Given {
  return { code: `C${number}${letter}`, name: 'Engines', costCenter: 7 };
}

/** Billed to company 1. */
export function order(): Given {
  return { date: '2024-05-06', placedAt: '2024-05-06T07:08:09.010Z', billTo: 1, currency: 'EUR' };
}

/** Of product 1. */
export function line(orderNo: unknown, number = 1): Given {
  return { orderNo, line: number, product: 1, unitPrice: 2.5 };
}

export function document(): Given {
  return { title: 'Case notes', mimeType: 'text/plain' };
}

/** Days that no holiday and no rate of the sample stands on. */
export function day({ number }: WriteClient, letter: Letter = ''): string {
  const from = Date.UTC(1900 + letters.indexOf(letter), 0, 1);
  return new Date(from + number * 86_400_000).toISOString().slice(0, 10);
}

export function holiday(rest: WriteClient, letter: Letter = ''): Given {
  return { date: day(rest, letter), name: 'Day of the case' };
}

export function rate(rest: WriteClient, letter: Letter = ''): Given {
  return { currency: 'UTO', date: day(rest, letter), rate: 1.25 };
}

/** Entities with keys of each kind. */
export const keyKinds: readonly (readonly [
  what: string,
  make: (rest: WriteClient) => Promise<Made>,
])[] = [
  ['a number', (rest) => rest.create('Employee', employee(rest))],
  ['text', (rest) => rest.create('Category', { ...category(rest), code: `a/b '${rest.number}` })],
  ['a code padded by CHAR', (rest) => rest.create('Country', country(rest))],
  ['a date', (rest) => rest.create('Holiday', holiday(rest))],
  ['a GUID', (rest) => rest.create('Document', document())],
  ['two parts', (rest) => rest.create('ExchangeRate', rate(rest))],
];

const letters: readonly Letter[] = ['', 'a', 'b', 'c', 'd'];
