import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorBox, Waiting } from '../ui/states.tsx';

interface ReportProps {
  readonly dataclass: string;
  readonly query: URLSearchParams;
}

/** The report of a dataclass, whose script only those load who open one. */
export function ReportLoader(props: ReportProps) {
  const [View, setView] = useState<ComponentType<ReportProps> | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    import('./report-view.tsx').then(({ ReportView }) => setView(() => ReportView), setError);
  }, []);
  if (View !== null) return <View {...props} />;
  if (error === null) return <Waiting>Loading the report…</Waiting>;
  return (
    <div class="page">
      <ErrorBox error={error} onRetry={() => location.reload()} />
    </div>
  );
}
