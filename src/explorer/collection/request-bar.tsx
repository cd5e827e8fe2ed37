import { effect, signal } from '@preact/signals';
import { CopyButton } from '../ui/copy-button.tsx';
import { saveFile } from '../ui/save-file.ts';
import { rest } from '../rest/client.ts';
import { hrefs } from '../routes.ts';
import { requestForms } from './request-forms.ts';

const KEPT_FORMAT = 'entitygate.csv';

/** The `$format` of downloads: as it is, or for spreadsheets. The browser remembers it. */
export const csvFormat = signal<'csv' | 'spreadsheet'>(
  localStorage.getItem(KEPT_FORMAT) === 'spreadsheet' ? 'spreadsheet' : 'csv',
);

effect(() => localStorage.setItem(KEPT_FORMAT, csvFormat.value));

/** The request of what is shown, to copy in the forms that people paste elsewhere, and to save as CSV. */
export function RequestBar({
  url,
  csvUrl,
  dataclass,
}: {
  url: string;
  /** Null where no column fits CSV. */
  csvUrl: string | null;
  dataclass: string;
}) {
  const forms = requestForms(url, location.origin);
  return (
    <section class="request-bar" aria-label="Request">
      <code tabIndex={0} aria-label="The request's URL">
        <span class="verb">GET</span> {url}
      </code>
      <div class="request-copies">
        <CopyButton text={forms.url} label="URL" />
        <CopyButton text={forms.curl} label="curl" />
        <CopyButton text={forms.fetch} label="fetch" />
        <a class="button quiet" href={hrefs.plan(url)}>
          Plan
        </a>
        {csvUrl !== null && (
          <>
            <CsvLink url={csvUrl} name={`${dataclass}.csv`} />
            <label title="Marked as UTF-8, and texts that a spreadsheet would compute begin with an apostrophe">
              <input
                type="checkbox"
                checked={csvFormat.value === 'spreadsheet'}
                onChange={({ currentTarget: { checked } }) =>
                  (csvFormat.value = checked ? 'spreadsheet' : 'csv')
                }
              />
              for spreadsheets
            </label>
          </>
        )}
      </div>
    </section>
  );
}

/** A download that the browser streams to a file. With an API key, which links cannot carry, the explorer fetches it. */
function CsvLink({ url, name }: { url: string; name: string }) {
  const fetched = async (event: Event): Promise<void> => {
    if (rest.apiKey === null) return;
    event.preventDefault();
    saveFile(await rest.content(url), name);
  };
  return (
    <a class="button quiet" href={url} download={name} onClick={(event) => void fetched(event)}>
      CSV
    </a>
  );
}
