import { useSignalEffect } from '@preact/signals';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { navigate } from '../navigation.ts';
import { isNumber, type JsonObject } from '../rest/json.ts';
import { hrefs } from '../routes.ts';
import { Cell } from './cell.tsx';
import { isDeleted, type Collection } from './collection.ts';
import { columnWidth, isNumeric, isSortable, type Column } from './columns.ts';
import { historyEntry, leaveGrid, leftGrid, type Place } from './grid-places.ts';
import { ScrollMap } from './scroll-map.ts';
import { orderText, toggleOrder, type OrderTerm } from './selection.ts';
import { TotalCell } from './total-cell.tsx';
import { entityCount, type ComputeKeyword } from './totals.ts';

/** The heights of a row, the header and the footer, in pixels. */
const ROW = 28;
const HEADER = 32;
const FOOTER = 52;

/** Rows that are drawn beyond what is seen, so that scrolling shows no gap. */
const MARGIN = 6;

/** How long the scroll position has to rest before the scroll bar is put where the rows are, in milliseconds. */
const REST = 200;

/** What a grid shows, and how its user changes that. */
export interface GridProps {
  readonly dataclass: string;
  readonly collection: Collection;
  readonly count: number;
  readonly columns: readonly Column[];
  readonly order: readonly OrderTerm[];
  readonly onOrder: (order: readonly OrderTerm[]) => void;
  readonly totals: ReadonlyMap<string, ComputeKeyword> | null;
  readonly onTotals: (totals: ReadonlyMap<string, ComputeKeyword>) => void;
}

/** The entities of a collection as an ARIA grid, of which only the rows that are seen are drawn. */
export function Grid(props: GridProps) {
  const { dataclass, collection, count, columns, order, onOrder, totals } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const footerHeight = totals === null ? 0 : FOOTER;
  const [entry] = useState(historyEntry);
  const [before] = useState(() => leftGrid(entry));
  const [height, setHeight] = useState(before?.height ?? 600);
  const viewport = Math.max(ROW, height - HEADER - footerHeight);
  const map = useMemo(() => new ScrollMap(count * ROW, viewport), [count, viewport]);
  // Both positions: the rows have to follow where the scroll bar alone is put elsewhere.
  const [{ physical: scrolledTo, logical }, setScroll] = useState({ physical: 0, logical: 0 });
  const [place, setPlace] = useState<Place>(() => ({
    row: Math.min(before?.place.row ?? 0, count - 1),
    column: Math.min(before?.place.column ?? 0, columns.length - 1),
  }));
  const [, redraw] = useState(0);
  const position = useRef({ physical: 0, logical: 0 });
  const id = useId();
  useSignalEffect(() => redraw(collection.changes.value));

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(logical / ROW) - MARGIN);
  const last = Math.min(count - 1, Math.ceil((logical + viewport) / ROW) + MARGIN);
  useEffect(() => {
    const isUpwards = logical < shownLast.current;
    shownLast.current = logical;
    const shown: [number, number] = [
      Math.floor(logical / ROW),
      Math.floor((logical + viewport) / ROW),
    ];
    // While the scroll bar is dragged, pages fly by that nobody waits for.
    const timer = setTimeout(() => collection.pages.show(...shown, count, isUpwards), 40);
    return () => clearTimeout(timer);
  }, [collection, logical, viewport, count]);
  const shownLast = useRef(0);

  /** Shows a logical position, and puts the scroll bar there. */
  const show = (wanted: number): void => {
    const next = Math.min(Math.max(0, wanted), map.end);
    const physical = map.toPhysical(next);
    if (scroller.current !== null) scroller.current.scrollTop = physical;
    // Browsers round scroll positions.
    position.current = { physical: scroller.current?.scrollTop ?? physical, logical: next };
    setScroll(position.current);
  };

  const now = useRef({ place, height });
  now.current = { place, height };
  useLayoutEffect(() => {
    if (before !== undefined) {
      show(before.logical);
      scroller.current?.focus({ preventScroll: true });
    }
    return () => leaveGrid(entry, { ...now.current, logical: position.current.logical });
  }, []);

  const resting = useRef(0);
  const scrolled = (): void => {
    const to = scroller.current?.scrollTop ?? 0;
    const { physical, logical: from } = position.current;
    if (to === physical) return;
    const next = map.scrolled(from, physical, to);
    position.current = { physical: to, logical: next };
    setScroll(position.current);
    clearTimeout(resting.current);
    if (!map.isCompressed) return;
    resting.current = window.setTimeout(() => {
      if (Math.abs(map.toPhysical(position.current.logical) - to) > 1)
        show(position.current.logical);
    }, REST);
  };
  useEffect(() => () => clearTimeout(resting.current), []);

  const go = (wanted: Place): void => {
    const row = Math.min(Math.max(0, wanted.row), count - 1);
    const column = Math.min(Math.max(0, wanted.column), columns.length - 1);
    setPlace({ row, column });
    if (row * ROW < logical) show(row * ROW);
    else if ((row + 1) * ROW > logical + viewport) show((row + 1) * ROW - viewport);
    scroller.current
      ?.querySelector(`[role=columnheader]:nth-child(${column + 1})`)
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };

  const open = (row: JsonObject | undefined): void => {
    const key = row?.['__KEY'];
    if (typeof key === 'string' || isNumber(key)) navigate(hrefs.entity(dataclass, String(key)));
  };

  const pressed = (event: KeyboardEvent): void => {
    if (event.target !== scroller.current) return;
    const { row, column } = place;
    const page = Math.max(1, Math.floor(viewport / ROW) - 1);
    const all = event.ctrlKey || event.metaKey;
    const next: Readonly<Record<string, Place>> = {
      ArrowDown: { row: all ? count - 1 : row + 1, column },
      ArrowUp: { row: all ? 0 : row - 1, column },
      ArrowRight: { row, column: column + 1 },
      ArrowLeft: { row, column: column - 1 },
      PageDown: { row: row + page, column },
      PageUp: { row: row - page, column },
      Home: all ? { row: 0, column: 0 } : { row, column: 0 },
      End: all
        ? { row: count - 1, column: columns.length - 1 }
        : { row, column: columns.length - 1 },
    };
    const wanted = next[event.key];
    if (wanted !== undefined) go(wanted);
    else if (event.key === 'Enter') open(collection.pages.row(row));
    else return;
    event.preventDefault();
  };

  const template = columns
    .map((column) => columnWidth(column, collection.uncut(column.path)))
    .join(' ');
  const line = { gridTemplateColumns: template };
  const indexes = Array.from(
    { length: Math.max(0, last - first + 1) },
    (_, index) => first + index,
  );
  const cellId = (row: number, column: number): string => `${id}-${row}-${column}`;
  return (
    <div
      ref={scroller}
      class="grid"
      role="grid"
      tabIndex={0}
      aria-label={`${dataclass}, ${entityCount(count)}`}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={
        place.row >= first && place.row <= last ? cellId(place.row, place.column) : undefined
      }
      onScroll={scrolled}
      onKeyDown={pressed}
    >
      <div class="grid-line grid-header" role="row" aria-rowindex={1} style={line}>
        {columns.map((column) => (
          <HeaderCell key={column.path} column={column} order={order} onOrder={onOrder} />
        ))}
      </div>
      <div class="grid-area" role="rowgroup" style={{ height: `${map.areaHeight}px` }}>
        <div
          class="grid-rows"
          role="presentation"
          style={{
            transform: `translateY(${scrolledTo - logical + first * ROW}px)`,
          }}
        >
          {indexes.map((index) => {
            const row = collection.pages.row(index);
            const state = row === undefined ? ' waits' : isDeleted(row) ? ' deleted' : '';
            return (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                class={`grid-line${state}${index === place.row ? ' current' : ''}`}
                style={line}
                onDblClick={() => open(row)}
              >
                {columns.map((column, at) => (
                  <div
                    key={column.path}
                    id={cellId(index, at)}
                    role="gridcell"
                    aria-colindex={at + 1}
                    aria-selected={index === place.row && at === place.column}
                    class={isNumeric(column.type) ? 'numeric' : ''}
                    onClick={() => setPlace({ row: index, column: at })}
                  >
                    <Cell dataclass={dataclass} row={row} column={column} isFirst={at === 0} />
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {totals !== null && (
        <div class="grid-line grid-footer" role="row" aria-rowindex={count + 2} style={line}>
          {columns.map((column) => (
            <TotalCell
              key={column.path}
              collection={collection}
              column={column}
              keyword={totals.get(column.path) ?? null}
              onKeyword={(keyword) => props.onTotals(withTotal(totals, column.path, keyword))}
            />
          ))}
        </div>
      )}
    </div>
  );
}

function withTotal(
  totals: ReadonlyMap<string, ComputeKeyword>,
  path: string,
  keyword: ComputeKeyword | null,
): ReadonlyMap<string, ComputeKeyword> {
  const others = [...totals].filter(([known]) => known !== path);
  return new Map(keyword === null ? others : [...others, [path, keyword]]);
}

/** The head of a column: a click orders by it, with Shift behind the other terms. */
function HeaderCell({
  column,
  order,
  onOrder,
}: {
  column: Column;
  order: readonly OrderTerm[];
  onOrder: (order: readonly OrderTerm[]) => void;
}) {
  const { path, type } = column;
  const at = order.findIndex((term) => term.path === path);
  const term = order[at];
  const sort = term === undefined ? 'none' : term.descending ? 'descending' : 'ascending';
  return (
    <div role="columnheader" aria-sort={sort} class={isNumeric(type) ? 'numeric' : ''}>
      {isSortable(column) ? (
        <button
          type="button"
          class="quiet"
          title={`Order by ${path}; with Shift behind ${orderText(order) || 'nothing yet'}`}
          onClick={(event) => onOrder(toggleOrder(order, path, event.shiftKey))}
        >
          <span class="name">{path}</span>
          {term !== undefined && (
            <span class="sort" aria-hidden="true">
              {term.descending ? '▼' : '▲'}
              {order.length > 1 && at + 1}
            </span>
          )}
        </button>
      ) : (
        <span class="name" title={path}>
          {path}
        </span>
      )}
    </div>
  );
}
