/** The method of an operation, with a colour for what it does. */
export function Method({ method }: { method: string }) {
  const tone = { GET: "read", HEAD: "read", DELETE: "delete", OPTIONS: "read" }[method] ?? "write";
  return <span className={`method method-${tone}`}>{method === "DELETE" ? "DEL" : method}</span>;
}
