import { CollectionView } from './collection/collection-view.tsx';
import { EntityView } from './entity/entity-view.tsx';
import { FunctionsView } from './functions/functions-view.tsx';
import { ModelView } from './model/model-view.tsx';
import { route } from './navigation.ts';
import { PlanView } from './plans/plan-view.tsx';
import type { Route } from './routes.ts';

/** The explorer: the dataclasses beside the view of the URL's fragment. */
export function App() {
  return (
    <div class="shell">
      <main id="main" tabIndex={-1}>
        <View route={route.value} />
      </main>
    </div>
  );
}

/** Views of another dataclass or entity begin anew, which their keys see to. */
function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'model':
      return <ModelView dataclass={route.dataclass} />;
    case 'collection':
      return (
        <CollectionView key={route.dataclass} dataclass={route.dataclass} query={route.query} />
      );
    case 'entity':
      return (
        <EntityView
          key={`${route.dataclass}/${route.key}`}
          dataclass={route.dataclass}
          entityKey={route.key}
        />
      );
    case 'new':
      return (
        <EntityView
          key={`${route.dataclass}/`}
          dataclass={route.dataclass}
          entityKey={null}
          query={route.query}
        />
      );
    case 'functions':
      return <FunctionsView name={route.name} query={route.query} />;
    case 'plan':
      return <PlanView key={route.url} url={route.url} />;
  }
}
