import { expect } from 'vitest';
import type { Case } from './suite.ts';

/** §4.1, §2.4: the catalog. */
export const catalogCases: readonly Case[] = [
  {
    title: '§4.1 $catalog/{dataClass} lists one dataclass in full',
    url: '/rest/$catalog/Holiday',
    body: {
      __UNIQID: expect.stringMatching(/^[0-9A-F]{32}$/),
      __BASEID: null,
      __NAME: 'Legacy ERP',
      properties: { supportJSONEntityKey: true },
      methods: [],
      dataClasses: [expect.objectContaining({ name: 'Holiday', key: [{ name: 'date' }] })],
    },
  },
];
