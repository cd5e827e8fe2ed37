import { Fragment } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { catalog, dataclassNamed } from '../catalog.ts';
import { DataclassFilter, FailedRead } from '../collection/filter/dataclass-filter.tsx';
import { csvFormat, RequestBar } from '../collection/request-bar.tsx';
import { navigate } from '../navigation.ts';
import { reports } from '../reports.ts';
import { rest } from '../rest/client.ts';
import { isNumber, isObject, objectsIn, type JsonObject } from '../rest/json.ts';
import { hrefs } from '../routes.ts';
import { Empty, Waiting } from '../ui/states.tsx';
import { chartData, isAdditive } from './chart-data.ts';
import { Chart } from './chart.tsx';
import { DraftInput } from './draft-input.tsx';
import { FigureList, GroupList } from './member-lists.tsx';
import { ReportTable } from './report-table.tsx';
import {
  chartOf,
  CHARTS,
  COUNT,
  hrefOfEntities,
  hrefOfReport,
  memberName,
  readReport,
  reportUrl,
  withMembers,
  type ChartKind,
  type Report,
} from './report.ts';
import './report.css';

/** What the gateway has answered, and of which report. */
interface Answer {
  readonly report: Report;
  readonly rows: readonly JsonObject[];
  /** How many groups there are in all. */
  readonly count: number;
}

/** Groups of a dataclass's entities with figures of each, as charts and a table. @param query what is grouped, and how */
export function ReportView({
  dataclass: name,
  query,
}: {
  dataclass: string;
  query: URLSearchParams;
}) {
  const dataclass = dataclassNamed(name);
  const model = catalog.value;
  const report = readReport(name, query);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);
  const url = reportUrl(report);
  const isKnown = dataclass !== undefined && model !== null;
  useEffect(() => {
    if (!isKnown) return;
    const left = new AbortController();
    rest.request(url, { signal: left.signal }).then(
      (json) => {
        const { __GROUPS: groups, __COUNT: count } = isObject(json) ? json : {};
        const rows = objectsIn(groups);
        setAnswer({ report, rows, count: isNumber(count) ? Number(count) : rows.length });
        setError(null);
      },
      (failure: unknown) => {
        if (!left.signal.aborted) setError(failure);
      },
    );
    return () => left.abort();
  }, [url, round]);
  if (!isKnown) return <Empty isPage title={`There is no dataclass ${name} that you may see.`} />;
  const change = (changed: Partial<Report>): void =>
    navigate(hrefOfReport({ ...report, ...changed }));
  const saved = reports.value.find(({ dataclass: of, query }) => {
    const own = readReport(of, new URLSearchParams(query));
    return hrefOfReport(own) === hrefOfReport(report);
  });
  const isCurrent = error === null && answer !== null && reportUrl(answer.report) === url;
  return (
    <section class="report" aria-label={saved?.title ?? `Report of ${dataclass.name}`}>
      <header class="collection-bar">
        <h1>{saved?.title ?? dataclass.name}</h1>
        <span class="count" role="status">
          {isCurrent ? groupCount(answer) : ''}
        </span>
        <div class="collection-tools">
          <label>
            Chart{' '}
            <select
              value={chartOf(report)}
              onChange={({ currentTarget: { value } }) => change({ chart: value as ChartKind })}
            >
              {CHARTS.map((kind) => (
                <option key={kind} value={kind}>
                  {CHART_NAMES[kind]}
                </option>
              ))}
            </select>
          </label>
        </div>
      </header>
      {saved?.description != null && <p class="description">{saved.description}</p>}
      {report.from !== encodeURIComponent(dataclass.name) && (
        <p class="source">
          <span>Of {report.from}</span>
          <a href={hrefs.report(dataclass.name)}>All of {dataclass.name}</a>
        </p>
      )}
      <DataclassFilter
        dataclass={dataclass}
        catalog={model}
        shown={report}
        error={error}
        onFilter={change}
      />
      <div class="report-builder">
        <GroupList
          dataclass={dataclass}
          catalog={model}
          members={report.groups}
          onChange={(groups) => change(withMembers(report, { groups }))}
        />
        <FigureList
          dataclass={dataclass}
          catalog={model}
          members={report.figures}
          onChange={(figures) => change(withMembers(report, { figures }))}
        />
        <section aria-label="Limits">
          <h2>Limits</h2>
          <label>
            Only groups with
            <DraftInput
              class="code"
              value={report.having}
              placeholder={`${memberName(report.figures[0] ?? COUNT)} > 10`}
              onDone={(having) => change({ having })}
            />
          </label>
          <label>
            At most
            <DraftInput
              inputMode="numeric"
              value={report.top}
              placeholder="all groups"
              onDone={(top) => change({ top })}
            />
          </label>
        </section>
      </div>
      {error !== null ? (
        <FailedRead error={error} onRetry={() => setRound(round + 1)} />
      ) : answer === null ? (
        <Waiting>Grouping entities…</Waiting>
      ) : (
        <Content
          answer={answer}
          chart={report.chart}
          isBusy={!isCurrent}
          onOrder={(order) => change({ order })}
        />
      )}
      <RequestBar
        dataclass={dataclass.name}
        url={url}
        csvUrl={reportUrl(report, { $format: csvFormat.value })}
      />
    </section>
  );
}

/** Charts of the figures, and the table. */
function Content({
  answer: { report, rows },
  chart,
  isBusy,
  onOrder,
}: {
  answer: Answer;
  /** As it is chosen now: it is no part of the request. */
  chart: Report['chart'];
  isBusy: boolean;
  onOrder: (order: Report['order']) => void;
}) {
  const { dataclass, groups, figures, order } = report;
  const [group] = groups.map(memberName);
  const kind = chartOf({ groups, chart });
  const isRanked = kind !== 'lines' && order[0] !== undefined && order[0].path !== group;
  if (rows.length === 0) return <Empty title="There are no groups." />;
  const drawn = kind === 'table' || group === undefined ? [] : figures;
  return (
    <div class="report-content" aria-busy={isBusy}>
      {group === undefined && <p class="hint">Group by something to see a chart.</p>}
      {drawn.map((figure) => {
        const name = memberName(figure);
        if (!rows.some((row) => isNumber(row[name]))) return null;
        const data = chartData(rows, groups, figure, isRanked);
        const isStackable = isAdditive(figure);
        return (
          <Fragment key={name}>
            <Chart
              data={data}
              kind={kind === 'stacked' && !isStackable ? 'bars' : kind}
              figure={name}
              group={group ?? ''}
              onOpen={(uri) => navigate(hrefOfEntities(dataclass, uri))}
            />
            {kind === 'stacked' && !isStackable && (
              <p class="hint">{figure.expression} does not add up: its bars are not stacked.</p>
            )}
            {data.leftOut !== '' && (
              <p class="hint">Not drawn: {data.leftOut}. The table has all.</p>
            )}
          </Fragment>
        );
      })}
      <ReportTable report={report} rows={rows} onOrder={onOrder} />
    </div>
  );
}

const CHART_NAMES: Readonly<Record<ChartKind, string>> = {
  bars: 'Bars',
  lines: 'Lines',
  stacked: 'Stacked bars',
  table: 'Table only',
};

/** Says how many groups there are, and how many of them are shown. */
function groupCount({ rows: { length }, count }: Answer): string {
  const all = `${count.toLocaleString()} ${count === 1 ? 'group' : 'groups'}`;
  return length < count ? `${length.toLocaleString()} of ${all}` : all;
}
