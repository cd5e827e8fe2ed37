import type { Point } from './layout.ts';

/** What part of a drawing is seen: a point of the drawing is at `x * scale + left`, `y * scale + top` of the window. */
export interface Viewport {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const LEAST_SCALE = 0.1;
const MOST_SCALE = 3;

/** Shows a whole drawing in the middle of a window, not enlarged. */
export function fitted(drawing: Size, window: Size): Viewport {
  const scale = Math.min(1, window.width / drawing.width, window.height / drawing.height);
  const shown = Math.max(LEAST_SCALE, Number.isFinite(scale) ? scale : 1);
  return {
    scale: shown,
    left: (window.width - drawing.width * shown) / 2,
    top: (window.height - drawing.height * shown) / 2,
  };
}

/** Shows a point of the drawing in the middle of a window. */
export function centred(point: Point, scale: number, window: Size): Viewport {
  return {
    scale,
    left: window.width / 2 - point.x * scale,
    top: window.height / 2 - point.y * scale,
  };
}

/** Zooms by a factor; the point of the drawing at `at` of the window stays there. */
export function zoomed(viewport: Viewport, factor: number, at: Point): Viewport {
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, viewport.scale * factor));
  const change = scale / viewport.scale;
  return {
    scale,
    left: at.x - (at.x - viewport.left) * change,
    top: at.y - (at.y - viewport.top) * change,
  };
}

/** Moves by pixels of the window. */
export function moved(viewport: Viewport, x: number, y: number): Viewport {
  return { ...viewport, left: viewport.left + x, top: viewport.top + y };
}

/** Moves a point of the drawing into the middle of the window, unless it is well within sight. */
export function revealing(viewport: Viewport, point: Point, window: Size): Viewport {
  const x = point.x * viewport.scale + viewport.left;
  const y = point.y * viewport.scale + viewport.top;
  const isSeen = x > 60 && y > 30 && x < window.width - 60 && y < window.height - 30;
  return isSeen ? viewport : moved(viewport, window.width / 2 - x, window.height / 2 - y);
}
