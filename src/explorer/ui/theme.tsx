import { effect, signal } from '@preact/signals';
import { Icon } from './icon.tsx';

const KEPT = 'entitygate.theme';

/** The colours that the user has chosen; null for those of the system. */
const theme = signal(localStorage.getItem(KEPT));

effect(() => {
  if (theme.value === 'light' || theme.value === 'dark') {
    document.documentElement.dataset['theme'] = theme.value;
  }
});

/** Changes between light and dark colours, and remembers it. */
export function ThemeButton() {
  const isDark =
    theme.value === null
      ? matchMedia('(prefers-color-scheme: dark)').matches
      : theme.value === 'dark';
  const other = isDark ? 'light' : 'dark';
  const change = (): void => {
    theme.value = other;
    localStorage.setItem(KEPT, other);
  };
  return (
    <button type="button" class="quiet" onClick={change} aria-label={`Use ${other} colours`}>
      <Icon name={isDark ? 'sun' : 'moon'} />
    </button>
  );
}
