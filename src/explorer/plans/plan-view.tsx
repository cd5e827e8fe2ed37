/** The query plan of a request. @param url the request's URL, such as `/rest/Employee?$filter="…"` */
export function PlanView({ url }: { url: string }) {
  return <h1>Query plan of {url}</h1>;
}
