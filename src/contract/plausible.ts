import { wordsOf } from '../base/words.ts';

/** Texts by what their attribute is called, with or without the last word of its dataclass before it, in lower case and without what separates words. */
const TEXTS: Readonly<Record<string, string>> = {
  categoryname: 'Lighting',
  clientname: 'Acme Ltd.',
  companyname: 'Acme Ltd.',
  contactname: 'Ada Lovelace',
  countryname: 'France',
  customername: 'Acme Ltd.',
  departmentname: 'Sales',
  employeename: 'Ada Lovelace',
  holidayname: 'Bastille Day',
  itemname: 'Desk lamp',
  personname: 'Ada Lovelace',
  productname: 'Desk lamp',
  projectname: 'New office',
  suppliername: 'Acme Ltd.',
  company: 'Acme Ltd.',
  customer: 'Acme Ltd.',
  supplier: 'Acme Ltd.',
  department: 'Sales',
  group: 'Sales',
  role: 'Manager',
  mimetype: 'application/pdf',
  remark: 'A short remark',
  fullname: 'Ada Lovelace',
  firstname: 'Ada',
  lastname: 'Lovelace',
  email: 'ada@example.com',
  phone: '+33 4 72 00 00 00',
  mobile: '+33 6 12 34 56 78',
  street: '12 Main Street',
  address: '12 Main Street',
  city: 'Lyon',
  postcode: '69001',
  postalcode: '69001',
  zip: '69001',
  zipcode: '69001',
  region: 'Europe',
  country: 'France',
  countrycode: 'FR',
  isocode: 'FR',
  currency: 'EUR',
  currencycode: 'EUR',
  language: 'French',
  code: 'A100',
  sku: 'A-100',
  number: 'A-100',
  title: 'Annual report',
  description: 'A short description',
  comment: 'A short comment',
  note: 'A short note',
  notes: 'A short note',
  status: 'open',
  url: 'https://example.com',
  website: 'https://example.com',
  login: 'ada',
  username: 'ada',
};

/**
 * Returns a text for an attribute: what its name, or the last word of it, stands for; `Job title` for what is not known, and for a name the dataclass with
 * a number. A column too short for it cuts it.
 * @param owner the name of the dataclass; empty for what belongs to none
 */
export function plausibleText(name: string, maxLength: number | null, owner: string): string {
  const [words, owners] = [wordsOf(name), wordsOf(owner)];
  const text =
    known([owners.at(-1), ...words].join('')) ??
    known(words.join('')) ??
    known(words.at(-1) ?? '') ??
    (owner !== '' && name.toLowerCase() === 'name' ? `${sentenceOf(owners)} 1` : sentenceOf(words));
  return maxLength === null ? text : text.slice(0, maxLength).trim();
}

function known(name: string): string | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(TEXTS, key) ? TEXTS[key] : undefined;
}

function sentenceOf(words: readonly string[]): string {
  const text = words.map((word, index) => (index === 0 ? word : word.toLowerCase())).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a number that a column of so many digits, and so many of them decimals, holds. */
export function plausibleDecimal(precision: number | null, scale: number | null): number {
  const whole = precision === null ? 4 : precision - (scale ?? 0);
  if (whole <= 0) return 0;
  const amount = 1250.5 % 10 ** Math.min(whole, 4);
  return scale === null || scale > 0 ? amount : Math.floor(amount);
}
