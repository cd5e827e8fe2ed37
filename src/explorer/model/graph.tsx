import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { navigate } from '../navigation.ts';
import type { Catalog } from '../rest/catalog.ts';
import { hrefs } from '../routes.ts';
import { Icon } from '../ui/icon.tsx';
import { type Edge, type Layout, layOut, type Node, type Point } from './layout.ts';
import { centred, fitted, moved, revealing, type Size, type Viewport, zoomed } from './viewport.ts';

/** How much a click on a button or a key zooms, and how far an arrow key moves, in pixels. */
const STEP = 1.25;
const MOVE = 60;

/** The scale at which names can be read: a larger model is not shown whole at first. */
const LEGIBLE = 0.7;

/** How far a pointer may move in a click, in pixels. */
const CLICK = 4;

/**
 * The dataclasses and their relations, to move (drag, arrow keys), zoom (wheel, + and -, two fingers) and choose from.
 * @param chosen the dataclass whose relations stand out; null for none
 */
export function Graph({ catalog, chosen }: { catalog: Catalog; chosen: string | null }) {
  const drawing = useMemo(() => layOut(catalog), [catalog]);
  const frame = useRef<HTMLDivElement>(null);
  const [viewport, setViewport] = useState<Viewport>({ scale: 1, left: 0, top: 0 });
  const sizeOf = (): Size => ({
    width: frame.current?.clientWidth ?? 0,
    height: frame.current?.clientHeight ?? 0,
  });
  const fit = (): void => setViewport(fitted(drawing, sizeOf()));
  const begin = (): void => {
    const all = fitted(drawing, sizeOf());
    const node = drawing.nodes.find(({ name }) => name === chosen) ?? centralNode(drawing);
    const isLegible = all.scale >= LEGIBLE || node === undefined;
    setViewport(isLegible ? all : centred(node, LEGIBLE, sizeOf()));
  };
  const zoom = (factor: number, at?: Point): void => {
    const { width, height } = sizeOf();
    setViewport((before) => zoomed(before, factor, at ?? { x: width / 2, y: height / 2 }));
  };
  useLayoutEffect(begin, [drawing, chosen === null]);
  useEffect(() => {
    const node = drawing.nodes.find(({ name }) => name === chosen);
    if (node !== undefined) setViewport((before) => revealing(before, node, sizeOf()));
  }, [drawing, chosen]);
  const pointers = usePointers(frame, setViewport);
  useEffect(() => {
    const { current } = frame;
    // Preact's own listener is passive where the browser likes it so, and could not keep the page from scrolling.
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 400), within(current, event));
    };
    current?.addEventListener('wheel', turn, { passive: false });
    return () => current?.removeEventListener('wheel', turn);
  }, []);
  const press = (event: KeyboardEvent): void => {
    const act = keyActions(zoom, fit, (x, y) => setViewport((before) => moved(before, x, y)))[
      event.key
    ];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  };
  const near = new Set(
    drawing.edges.flatMap(({ from, to }) => (from === chosen || to === chosen ? [from, to] : [])),
  );
  return (
    <div class="graph" ref={frame} onKeyDown={press} {...pointers}>
      <svg
        role="group"
        aria-label="The dataclasses and their relations"
        class={chosen === null ? '' : 'has-chosen'}
      >
        <defs>
          <marker
            id="many"
            viewBox="0 0 10 10"
            refX="0"
            refY="5"
            markerWidth="10"
            markerHeight="10"
            orient="auto"
          >
            <path d="M0 0 10 5 0 10M0 5h10" />
          </marker>
          <marker
            id="one"
            viewBox="0 0 10 10"
            refX="10"
            refY="5"
            markerWidth="10"
            markerHeight="10"
            orient="auto"
          >
            <path d="M6 1v8" />
          </marker>
        </defs>
        <g transform={`translate(${viewport.left} ${viewport.top}) scale(${viewport.scale})`}>
          {drawing.edges.map((edge) => (
            <Line
              key={edge.relations.join()}
              edge={edge}
              isNear={edge.from === chosen || edge.to === chosen}
            />
          ))}
          {drawing.nodes.map((node) => (
            <Box
              key={node.name}
              node={node}
              isChosen={node.name === chosen}
              isNear={near.has(node.name)}
            />
          ))}
        </g>
      </svg>
      <div class="graph-buttons" role="toolbar" aria-label="Zoom">
        <button type="button" onClick={() => zoom(STEP)} aria-label="Zoom in" title="Zoom in (+)">
          <Icon name="add" />
        </button>
        <button
          type="button"
          onClick={() => zoom(1 / STEP)}
          aria-label="Zoom out"
          title="Zoom out (-)"
        >
          <Icon name="minus" />
        </button>
        <button type="button" onClick={fit} aria-label="Show all" title="Show all (0)">
          <Icon name="fit" />
        </button>
      </div>
    </div>
  );
}

function keyActions(
  zoom: (factor: number) => void,
  fit: () => void,
  move: (x: number, y: number) => void,
): Readonly<Record<string, () => void>> {
  return {
    '+': () => zoom(STEP),
    '=': () => zoom(STEP),
    '-': () => zoom(1 / STEP),
    '0': fit,
    ArrowLeft: () => move(MOVE, 0),
    ArrowRight: () => move(-MOVE, 0),
    ArrowUp: () => move(0, MOVE),
    ArrowDown: () => move(0, -MOVE),
  };
}

function Box({ node, isChosen, isNear }: { node: Node; isChosen: boolean; isNear: boolean }) {
  const { name, x, y, width, height } = node;
  return (
    <a
      href={hrefs.model(name)}
      class={`box${isChosen ? ' chosen' : ''}${isNear ? ' near' : ''}`}
      aria-current={isChosen && 'true'}
      draggable={false}
      onDblClick={() => navigate(hrefs.collection(name))}
    >
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx="6" />
      <text x={x} y={y} dy="0.35em" text-anchor="middle">
        {name}
      </text>
    </a>
  );
}

function Line({ edge, isNear }: { edge: Edge; isNear: boolean }) {
  const [start, end] = edge.points.slice(edge.points.length / 2 - 1);
  return (
    <g class={isNear ? 'line near' : 'line'}>
      <path d={pathOf(edge)} marker-start="url(#many)" marker-end="url(#one)">
        <title>{edge.relations.join(' ⇄ ')}</title>
      </path>
      {isNear && start !== undefined && end !== undefined && (
        <text
          x={(start.x + end.x) / 2}
          y={(start.y + end.y) / 2 - 5}
          text-anchor="middle"
          aria-hidden="true"
        >
          {edge.relations[0]?.split('.')[1]}
        </text>
      )}
    </g>
  );
}

/** The dataclass with the most relations. */
function centralNode({ nodes, edges }: Layout): Node | undefined {
  const count = ({ name }: Node): number =>
    edges.filter(({ from, to }) => from === name || to === name).length;
  return nodes.toSorted((a, b) => count(b) - count(a))[0];
}

/** The path of an edge, whose bends leave and meet boxes and level lines without a corner. */
function pathOf({ from, to, points }: Edge): string {
  const [first, ...others] = points.map(({ x, y }) => `${x} ${y}`);
  if (from === to) return `M${first}C${others.join(' ')}`;
  const pieces = points.slice(1).map(({ x, y }, index) => {
    const before = points[index];
    if (before === undefined || index % 2 === 1) return `L${x} ${y}`;
    const middle = (before.x + x) / 2;
    return `C${middle} ${before.y} ${middle} ${y} ${x} ${y}`;
  });
  return `M${first}${pieces.join('')}`;
}

function within(frame: HTMLElement | null, { clientX, clientY }: MouseEvent): Point {
  const { left = 0, top = 0 } = frame?.getBoundingClientRect() ?? {};
  return { x: clientX - left, y: clientY - top };
}

/** Follows pointers: one drags the drawing, two zoom it. A drag that began on a link does not follow it. */
function usePointers(
  frame: { readonly current: HTMLElement | null },
  change: (next: (before: Viewport) => Viewport) => void,
) {
  const down = useRef(new Map<number, Point>());
  const travelled = useRef(0);
  const lift = ({ pointerId }: PointerEvent): void => void down.current.delete(pointerId);
  return {
    onPointerDown: (event: PointerEvent): void => {
      if (event.button !== 0) return;
      if (down.current.size === 0) travelled.current = 0;
      down.current.set(event.pointerId, within(frame.current, event));
    },
    onPointerMove: (event: PointerEvent): void => {
      const before = down.current.get(event.pointerId);
      if (before === undefined) return;
      const now = within(frame.current, event);
      down.current.set(event.pointerId, now);
      travelled.current += Math.hypot(now.x - before.x, now.y - before.y);
      if (travelled.current > CLICK) frame.current?.setPointerCapture(event.pointerId);
      const other = [...down.current].find(([id]) => id !== event.pointerId)?.[1];
      change((viewport) => {
        if (other === undefined) return moved(viewport, now.x - before.x, now.y - before.y);
        const distance = (point: Point): number =>
          Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
        return zoomed(viewport, distance(now) / distance(before), other);
      });
    },
    onPointerUp: lift,
    onPointerCancel: lift,
    onClickCapture: (event: MouseEvent): void => {
      if (travelled.current > CLICK) event.preventDefault();
    },
    onDragStart: (event: DragEvent): void => event.preventDefault(),
  };
}
