import { useEffect, useState } from 'preact/hooks';
import { rest } from '../rest/client.ts';
import { isObject, type Json } from '../rest/json.ts';
import { RestError } from '../rest/rest-error.ts';
import { saveFile } from '../ui/save-file.ts';
import type { FieldProps } from './field-props.ts';
import { fileSize } from './file-size.ts';

/** An image or BLOB: shown or downloaded, replaced by a file, or set to null. */
export function FileField({
  attribute: { name, notNull },
  editor,
  id,
  isReadOnly,
  describedBy,
  isInvalid,
  isRequired,
  isImage,
}: FieldProps & { isImage: boolean }) {
  const drafted = editor.draft.value.get(name);
  const isChanged = editor.draft.value.has(name);
  const uri = contentUri(editor.entity.value?.[name]);
  return (
    <div class="file-field">
      {isChanged ? (
        drafted instanceof File ? (
          <Chosen file={drafted} isImage={isImage} />
        ) : (
          <em class="null-value">null</em>
        )
      ) : uri === null ? (
        <em class="null-value">null</em>
      ) : isImage ? (
        <StoredImage uri={uri} name={name} />
      ) : (
        <Download uri={uri} name={`${editor.dataclass.name}-${editor.key ?? ''}-${name}`} />
      )}
      {!isReadOnly && (
        <div class="file-actions">
          <input
            id={id}
            type="file"
            accept={isImage ? 'image/*' : undefined}
            aria-describedby={describedBy}
            aria-invalid={isInvalid}
            required={isRequired}
            onChange={({ currentTarget: { files } }) => {
              const [file] = files ?? [];
              if (file === undefined) return;
              // The chooser’s filter is a proposal that the user can turn off.
              if (!isImage || file.type.startsWith('image/')) editor.change(name, file);
              else editor.refuse(name, `${file.name} is not an image.`);
            }}
          />
          {!notNull && (isChanged ? drafted !== null : uri !== null) && (
            <button type="button" class="null" onClick={() => editor.change(name, null)}>
              null<span class="visually-hidden"> for {name}</span>
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function Chosen({ file, isImage }: { file: File; isImage: boolean }) {
  const url = useObjectUrl(isImage && file.type.startsWith('image/') ? file : null);
  return (
    <figure>
      {url !== null && <img src={url} alt={`The chosen file ${file.name}`} />}
      <figcaption>
        {file.name}, {fileSize(file.size)}, is uploaded when you save
      </figcaption>
    </figure>
  );
}

/** An image by way of the client, which sends the API key along. */
function StoredImage({ uri, name }: { uri: string; name: string }) {
  const [content, setContent] = useState<Blob | RestError | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    rest
      .content(uri, {
        signal: abort.signal,
        headers: { accept: 'image/webp,image/png,image/jpeg,image/gif' },
      })
      .then(setContent, (error: unknown) => {
        if (error instanceof RestError) setContent(error);
      });
    return () => abort.abort();
  }, [uri]);
  const isShown = content instanceof Blob && content.type.startsWith('image/');
  const url = useObjectUrl(isShown ? content : null);
  if (content === null) return <p role="status">Reading the image…</p>;
  if (content instanceof RestError) return <p class="field-error">{content.message}</p>;
  if (!isShown)
    return (
      <p class="field-about">
        This image cannot be shown. <Download uri={uri} name={name} />
      </p>
    );
  return (
    <figure>
      {url !== null && <img src={url} alt={name} />}
      <figcaption>
        {content.type}, {fileSize(content.size)}
      </figcaption>
    </figure>
  );
}

function Download({ uri, name }: { uri: string; name: string }) {
  const [message, setMessage] = useState('');
  const download = async (): Promise<void> => {
    setMessage('Reading…');
    try {
      const content = await rest.content(uri);
      saveFile(content, name);
      setMessage(fileSize(content.size));
    } catch (error) {
      setMessage(error instanceof RestError ? error.message : 'The file could not be read.');
    }
  };
  return (
    <span class="download">
      <button type="button" onClick={() => void download()}>
        Download
      </button>
      <span role="status">{message}</span>
    </span>
  );
}

function useObjectUrl(content: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (content === null) return;
    const made = URL.createObjectURL(content);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return content === null ? null : url;
}

/** The URI of what an image or BLOB holds; null where that is null. */
function contentUri(value: Json | undefined): string | null {
  const deferred = isObject(value) ? value['__deferred'] : undefined;
  const uri = isObject(deferred) ? deferred['uri'] : undefined;
  return typeof uri === 'string' ? uri : null;
}
