/** Writes a size in the language of the browser, such as `31 bytes` or `1.5 MB`. */
export function fileSize(bytes: number): string {
  const [size, unit] =
    bytes >= 1e6
      ? ([1e6, 'megabyte'] as const)
      : bytes >= 1e3
        ? ([1e3, 'kilobyte'] as const)
        : ([1, 'byte'] as const);
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    // The short form of bytes has no plural.
    unitDisplay: unit === 'byte' ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / size);
}
