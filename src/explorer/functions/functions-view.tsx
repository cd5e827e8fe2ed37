/** The functions that may be called. @param name the one whose form is shown; null for the list of all */
export function FunctionsView({ name }: { name: string | null; query: URLSearchParams }) {
  return <h1>Functions {name}</h1>;
}
