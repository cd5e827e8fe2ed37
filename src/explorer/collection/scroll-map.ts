/** Browsers make no element higher than 17 to 33 million pixels; Firefox's limit is the lowest. */
const MOST_HEIGHT = 12_000_000;

/** How much at either end of a compressed scroll area is scrolled pixel by pixel, so that the first and the last rows are reached exactly. */
const EDGE = MOST_HEIGHT / 10;

/**
 * Maps the scroll position of an area that browsers allow, _physical_, to that of rows which together are higher, _logical_. Where all rows fit, the two are the
 * same. Where they do not, wheel and keys still move rows by pixels, and the scroll bar reaches every part of them.
 */
export class ScrollMap {
  /** The heights of all rows together, and of the area that is scrolled, in pixels. */
  readonly rowsHeight: number;
  readonly areaHeight: number;
  readonly #viewport: number;

  /** @param viewport the height of what is seen of them, in pixels */
  constructor(rowsHeight: number, viewport: number) {
    this.rowsHeight = rowsHeight;
    this.areaHeight = Math.min(rowsHeight, MOST_HEIGHT);
    this.#viewport = viewport;
  }

  /** The furthest logical position. */
  get end(): number {
    return Math.max(0, this.rowsHeight - this.#viewport);
  }

  get isCompressed(): boolean {
    return this.rowsHeight > this.areaHeight;
  }

  /** The physical position of a logical one. */
  toPhysical(logical: number): number {
    return this.#interpolate(logical, this.rowsHeight, this.areaHeight);
  }

  /** The logical position of a physical one, as the scroll bar shows it. */
  toLogical(physical: number): number {
    return this.#interpolate(physical, this.areaHeight, this.rowsHeight);
  }

  /**
   * The logical position after the browser has scrolled.
   * @param logical the position before it, which was shown at `from`; @param to where the area is scrolled now
   */
  scrolled(logical: number, from: number, to: number): number {
    const moved = to - from;
    const isJump = Math.abs(moved) > Math.max(2 * this.#viewport, 1000);
    const isAtEnd = to <= 0 || to >= this.#physicalEnd;
    if (!this.isCompressed || isJump || isAtEnd) return this.toLogical(to);
    return Math.min(Math.max(0, logical + moved), this.end);
  }

  get #physicalEnd(): number {
    return Math.max(0, this.areaHeight - this.#viewport);
  }

  #interpolate(position: number, fromHeight: number, toHeight: number): number {
    const fromEnd = Math.max(0, fromHeight - this.#viewport);
    const toEnd = Math.max(0, toHeight - this.#viewport);
    const at = Math.min(Math.max(0, position), fromEnd);
    if (fromHeight === toHeight || at <= EDGE) return at;
    if (at >= fromEnd - EDGE) return toEnd - (fromEnd - at);
    return EDGE + ((at - EDGE) * (toEnd - 2 * EDGE)) / (fromEnd - 2 * EDGE);
  }
}
