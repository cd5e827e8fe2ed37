import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { NULL } from '../collection/columns.ts';
import { saveFile } from '../ui/save-file.ts';
import { bandsOf, runsOf, ticksOf, tickTexts, type ChartData, type Series } from './chart-data.ts';
import type { ChartKind } from './report.ts';
import { svgFile } from './svg-file.ts';

/** Sizes in pixels; a character is as wide as wide ones are in labels. */
const CHARACTER = 7.2;
const LINE = 18;
const SPACE = 8;
const PLOT = 240;

/** The least width of a value of the first group: of texts, and of what has a scale. */
const NARROWEST = { text: 14, scale: 1 };

/** The most characters of a label. */
const MOST_CHARACTERS = 18;

interface ChartProps {
  readonly data: ChartData;
  readonly kind: ChartKind;
  /** The names of the figure, and of the group along the axis. */
  readonly figure: string;
  readonly group: string;
  /** Opens the entities of a group. @param uri their request */
  readonly onOpen: (uri: string) => void;
}

/** A figure of groups drawn. The table beside it has the same values for those who do not see it. */
export function Chart(props: ChartProps) {
  const { data, kind, figure, group } = props;
  const { categories, series } = data;
  const box = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const room = useWidth(box);
  const [hovered, setHovered] = useState<number | null>(null);
  const layout = useMemo(() => layOut(data, kind, room), [data, kind, room]);
  const marks = useMemo(() => <Marks {...props} layout={layout} />, [layout]);
  const {
    width,
    height,
    left,
    right,
    top,
    bottom,
    middle,
    y,
    ticks,
    tickLabels,
    labels,
    isSlanted,
  } = layout;
  const hover = ({ clientX }: PointerEvent): void => {
    const at = clientX - (svg.current?.getBoundingClientRect().left ?? 0);
    const distances = categories.map((_, index) => Math.abs(middle(index) - at));
    setHovered(distances.indexOf(Math.min(...distances)));
  };
  const current = hovered === null ? undefined : categories[hovered];
  return (
    <figure class="chart">
      <div ref={box} class="chart-room" tabIndex={width > room ? 0 : undefined}>
        <svg
          ref={svg}
          role="img"
          aria-label={`${figure} by ${group}: the table has the values`}
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          onPointerMove={hover}
          onPointerLeave={() => setHovered(null)}
        >
          <text class="title" y={LINE - 5}>
            {figure}
          </text>
          {legendOf(series, width).names.map((name, index) => (
            <g key={index}>
              <rect x={name.x} y={name.y - 9} width={10} height={10} fill={colorOf(index)} />
              <text x={name.x + 15} y={name.y}>
                {name.text}
              </text>
            </g>
          ))}
          {ticks.map((tick, index) => (
            <g key={tick} class={tick === 0 ? 'zero' : ''}>
              <path d={`M${left} ${y(tick)}H${right}`} />
              <text text-anchor="end" x={left - 6} y={y(tick) + 4}>
                {tickLabels[index]}
              </text>
            </g>
          ))}
          {labels.map(({ at, text }) => (
            <text
              key={at}
              text-anchor={isSlanted ? 'end' : 'middle'}
              transform={`translate(${at} ${bottom + LINE - 4})${isSlanted ? ' rotate(-45)' : ''}`}
            >
              {text}
            </text>
          ))}
          <text class="title" x={left} y={height - 5}>
            {group}
          </text>
          {hovered !== null && <path class="guide" d={`M${middle(hovered)} ${top}V${bottom}`} />}
          {marks}
        </svg>
        {hovered !== null && current !== undefined && (
          <div
            class={`chart-tip ${middle(hovered) > width / 2 ? 'before' : ''}`}
            aria-hidden="true"
            style={{ left: `${middle(hovered)}px`, top: `${top}px` }}
          >
            <strong>{current.label}</strong>
            {series.map(({ name, points }, index) => (
              <span key={index} style={{ borderColor: colorOf(index) }}>
                {series.length > 1 && name} <b>{points[hovered]?.text ?? NULL}</b>
              </span>
            ))}
          </div>
        )}
      </div>
      <button
        type="button"
        class="quiet"
        aria-label={`Save the chart of ${figure} as SVG`}
        onClick={() => {
          if (svg.current !== null) saveFile(svgFile(svg.current), `${figure}.svg`);
        }}
      >
        SVG
      </button>
    </figure>
  );
}

/** Bars, or points and the lines between them. */
function Marks({
  data: { categories, series },
  kind,
  layout: { middle, y, slot },
  onOpen,
}: ChartProps & { layout: Layout }) {
  const bands = bandsOf(series, kind === 'stacked');
  const room = Math.max(1, slot * 0.8);
  const thickness = kind === 'bars' ? Math.max(1, room / series.length) : room;
  return (
    <>
      {series.map((one, index) => (
        <g key={index} fill={colorOf(index)}>
          {kind === 'lines' &&
            runsOf(one, categories).map((run) => (
              <polyline
                key={run[0]}
                stroke={colorOf(index)}
                points={run.map((at) => `${middle(at)},${y(one.points[at]?.value ?? 0)}`).join(' ')}
              />
            ))}
          {one.points.map((point, at) => {
            if (point === null) return null;
            const { uri, value } = point;
            const opening = uri === null ? {} : { class: 'opens', onClick: () => onOpen(uri) };
            if (kind === 'lines') {
              const radius = Math.min(4, Math.max(1.5, slot / 4));
              return <circle key={at} cx={middle(at)} cy={y(value)} r={radius} {...opening} />;
            }
            const [from, to] = bands[index]?.[at] ?? [0, 0];
            return (
              <rect
                key={at}
                x={middle(at) - room / 2 + (kind === 'bars' ? index * thickness : 0)}
                y={y(Math.max(from, to))}
                width={thickness}
                height={Math.abs(y(from) - y(to))}
                {...opening}
              />
            );
          })}
        </g>
      ))}
    </>
  );
}

type Layout = ReturnType<typeof layOut>;

/** Where all parts of a chart are. @param room the width that there is; many texts take more */
function layOut({ categories, slots, isScale, series }: ChartData, kind: ChartKind, room: number) {
  const ends = bandsOf(series, kind === 'stacked').flat();
  const ticks = ticksOf(
    ends.flatMap((band) => band?.[1] ?? []),
    kind,
  );
  const tickLabels = tickTexts(ticks);
  const left = Math.max(...tickLabels.map(({ length }) => length)) * CHARACTER + SPACE;
  const sideBySide = Math.max(NARROWEST.text, kind === 'bars' ? 4 * series.length : 0);
  const narrowest = isScale ? NARROWEST.scale : sideBySide;
  const width = Math.max(room, left + SPACE + categories.length * narrowest);
  const right = width - SPACE;
  const slot = (right - left) / slots;
  const top = LINE + legendOf(series, width).height + SPACE;
  const bottom = top + PLOT;
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const y = (value: number): number => bottom - ((value - low) / (high - low)) * PLOT;
  const middle = (index: number): number => left + ((categories[index]?.slot ?? 0) + 0.5) * slot;
  const texts = categories.map(({ label }) => shortened(label));
  const longest = Math.max(0, ...texts.map(({ length }) => length)) * CHARACTER;
  const isSlanted = !isScale && longest + SPACE > slot;
  const labels: { readonly at: number; readonly text: string }[] = [];
  for (const [index, text] of texts.entries()) {
    // Those at the end stay within the chart.
    const half = isSlanted ? 0 : longest / 2;
    const at = Math.max(half, Math.min(middle(index), width - half));
    const distance = at - (labels.at(-1)?.at ?? -Infinity);
    if (distance >= (isSlanted ? NARROWEST.text : longest + SPACE)) labels.push({ at, text });
  }
  const below = isSlanted ? longest * Math.SQRT1_2 + LINE : LINE;
  const height = Math.ceil(bottom + below + LINE + SPACE);
  const sizes = { width, height, left, right, top, bottom, slot };
  return { ...sizes, middle, y, ticks, tickLabels, labels, isSlanted };
}

/** The names of series, in as many lines as they need; none for one alone. */
function legendOf(series: readonly Series[], width: number) {
  if (series.length < 2) return { names: [], height: 0 };
  let [x, line] = [0, 1];
  const names = series.map(({ name }) => {
    const text = shortened(name);
    const size = text.length * CHARACTER + 30;
    if (x > 0 && x + size > width) [x, line] = [0, line + 1];
    x += size;
    return { text, x: x - size, y: (line + 1) * LINE - 5 };
  });
  return { names, height: line * LINE };
}

function colorOf(index: number): string {
  return `var(--series-${index})`;
}

function shortened(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1)}…`;
}

/** The width of an element, before it is seen and as it changes. */
function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => setWidth(Math.floor(current.getBoundingClientRect().width));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return width;
}
