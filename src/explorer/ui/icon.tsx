/** The icons, each a path on a square of 16 by 16. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  back: 'M10 3 5 8l5 5',
  chart: 'M2.5 13.5h11M4.5 11V8M8 11V4M11.5 11V6',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5h-1v-8h7v1',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  functions: 'M10.5 3C8.5 3 8.3 4.5 8 6.5l-.6 4C7.1 12.5 6.5 13.5 5 13.5M5 7h6',
  key: 'M10 2.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zM7.5 8.5l-5 5M4.5 11.5l1.5 1.5',
  lock: 'M4 7.5h8v6H4zM5.5 7.5v-2a2.5 2.5 0 0 1 5 0v2',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  minus: 'M3 8h10',
  model: 'M2 2.5h5v4H2zM9 9.5h5v4H9zM4.5 6.5v5H9',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  relation: 'M2.5 8h10M9 4.5 12.5 8 9 11.5',
  sun: 'M8 5.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  table: 'M2.5 3h11v10h-11zM2.5 6.5h11M6.5 6.5V13',
} as const;

export type IconName = keyof typeof PATHS;

/** A small picture beside a label, or within a button that has one. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
