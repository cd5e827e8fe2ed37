import { catalog } from '../catalog.ts';
import { hrefs } from '../routes.ts';
import { Empty } from '../ui/states.tsx';
import { DataclassPanel } from './dataclass-panel.tsx';
import { Graph } from './graph.tsx';

/** The dataclasses and their relations. @param dataclass the one whose attributes are shown beside them; null for none */
export function ModelView({ dataclass }: { dataclass: string | null }) {
  const known = catalog.value;
  if (known === null) return null;
  if (known.dataclasses.size === 0) {
    return (
      <Empty isPage title="There is no dataclass that you may see.">
        <p>Your roles, or the mapping files, expose none.</p>
      </Empty>
    );
  }
  const chosen = dataclass === null ? undefined : known.dataclasses.get(dataclass);
  return (
    <div class={dataclass === null ? 'model' : 'model with-panel'}>
      {dataclass === null && <h1 class="visually-hidden">The model of {known.application}</h1>}
      <Graph catalog={known} chosen={chosen?.name ?? null} />
      {chosen !== undefined && <DataclassPanel dataclass={chosen} catalog={known} />}
      {dataclass !== null && chosen === undefined && (
        <section class="dataclass-panel">
          <Empty isPage title={`There is no dataclass ${dataclass} that you may see.`}>
            <a href={hrefs.model()}>Show the model</a>
          </Empty>
        </section>
      )}
    </div>
  );
}
