import { packages, rooms } from './rooms.js';

const allRooms = Object.keys(rooms);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-circle',
      comment: 'A file that two others want has to stand on its own: types count as well.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...Object.entries(rooms).map(([room, others]) => ({
      name: `${room}-imports`,
      comment: `${room}/ imports only ${[...others, 'itself'].join(', ')}.`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: '^src/', pathNot: `^src/(?:${[...others, room].join('|')})/` },
    })),
    ...Object.entries(packages).map(([room, names]) => ({
      name: `only-${room}-knows`,
      comment: `Only ${room}/ and the composition root import ${names.join(', ')}.`,
      severity: 'error',
      from: { path: `^src/(?:${allRooms.filter((other) => other !== room).join('|')}|cli)/` },
      to: { path: `^node_modules/(?:@types/)?(?:${names.join('|')})/` },
    })),
    {
      name: 'rooms-are-listed',
      comment: 'A folder of src/ is a room of rooms.js.',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(?:(?:${allRooms.join('|')}|cli)/|[^/]+$)` },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types tie files to each other as well.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
