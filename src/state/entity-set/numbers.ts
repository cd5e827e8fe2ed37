/** Whole numbers, of 4 bytes each while all fit into 32 bits, otherwise of 8. */
export type Numbers = Int32Array | Float64Array;
