import { useState } from 'preact/hooks';
import { toggleOrder } from '../collection/selection.ts';
import { navigate } from '../navigation.ts';
import type { JsonObject } from '../rest/json.ts';
import { figureText, labelOf } from './chart-data.ts';
import { hrefOfEntities, memberName, type Report } from './report.ts';

/** How many groups are written at first: a long table takes the browser long. */
const MOST_ROWS = 500;

/** The groups of a report with their figures. A header orders by its column, a row opens its entities. */
export function ReportTable({
  report: { dataclass, groups, figures, order },
  rows,
  onOrder,
}: {
  report: Report;
  rows: readonly JsonObject[];
  onOrder: (order: Report['order']) => void;
}) {
  const [isWhole, setIsWhole] = useState(false);
  const columns = [...groups, ...figures].map((member, index) => ({
    name: memberName(member),
    term: order.find(({ path }) => path === memberName(member)),
    isFigure: index >= groups.length,
  }));
  const shown = isWhole ? rows : rows.slice(0, MOST_ROWS);
  return (
    <div class="report-table">
      <table>
        <thead>
          <tr>
            {columns.map(({ name, term, isFigure }) => (
              <th
                key={name}
                scope="col"
                class={isFigure ? 'numeric' : ''}
                aria-sort={
                  term === undefined ? 'none' : term.descending ? 'descending' : 'ascending'
                }
              >
                <button
                  type="button"
                  class="quiet"
                  onClick={({ shiftKey }) => onOrder(toggleOrder(order, name, shiftKey))}
                >
                  {name}
                  {term !== undefined && (
                    <span aria-hidden="true">{term.descending ? '▼' : '▲'}</span>
                  )}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row, at) => {
            const { uri } = row;
            const href = typeof uri === 'string' ? hrefOfEntities(dataclass, uri) : null;
            const open = ({ target }: Event): void => {
              const isMeant =
                !(target instanceof HTMLAnchorElement) && getSelection()?.type !== 'Range';
              if (href !== null && isMeant) navigate(href);
            };
            return (
              <tr key={at} class={href === null ? '' : 'opens'} onClick={open}>
                {columns.map(({ name, isFigure }, index) => {
                  const value = row[name] ?? null;
                  const text = isFigure ? figureText(value) : labelOf(value);
                  return (
                    <td key={name} class={isFigure ? 'numeric' : ''}>
                      {index === 0 && href !== null ? <a href={href}>{text}</a> : text}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" onClick={() => setIsWhole(true)}>
          Show all {rows.length.toLocaleString()} groups
        </button>
      )}
    </div>
  );
}
