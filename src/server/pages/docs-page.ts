import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../platform/http1/message/http-response.ts";

/** The API reference at /docs, from files that ship with the server; no external files are loaded. */
const page = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Tollgate reference</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
  <link rel="stylesheet" href="/docs/reference.css">
  <script src="/docs/theme.js"></script>
</head>
<body>
  <header class="top">
    <svg width="20" height="20" viewBox="0 0 20 20" fill="currentColor" aria-hidden="true">
      <rect x="2" y="9" width="4.5" height="9" rx="1.2"/>
      <rect x="3.4" y="10.2" width="16.5" height="3.4" rx="1.7" transform="rotate(-38 3.4 10.2)"/>
    </svg>
    <b>Tollgate</b> <span>API reference</span> <a href="/console">Console</a>
  </header>
  <p class="how-to">To try calls, press <b>Authorize</b> and paste a token, without <code>Bearer</code>. The admin token was printed at the
    first start and is in the file <code>admin-token</code> of the data directory (<code>./data</code> by default);
    <code>tollgate tokens create</code> creates more. This page forgets it
    when it is left. Use the field below to find operations by path, name or summary.</p>
  <div id="reference"></div>
  <script src="/docs/swagger-ui.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;

/**
 * Sets the theme of the console, or of the system if none was chosen, before the first paint. Removes the token that
 * earlier versions stored in the browser.
 */
const theme = `try { localStorage.removeItem("authorized"); } catch {}
const system = matchMedia("(prefers-color-scheme: dark)");
const chosen = () => { try { return localStorage.getItem("tollgate-theme"); } catch { return null; } };
const show = () => document.documentElement.classList.toggle("dark-mode", chosen() === "dark" || (chosen() !== "light" && system.matches));
system.addEventListener("change", show);
show();
`;

/**
 * Swagger UI filters by group name only; this filter searches operations. It also resolves all references of the document for each operation
 * that is opened, which takes seconds; this resolver resolves those of the operation.
 */
const start = `const placeOf = (reference) => reference.slice(2).split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
const at = (document, path) => path.reduce((place, step) => place?.[step], document);
const resolved = (document, value, inside) => {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => resolved(document, item, inside));
  const { $ref, ...others } = value;
  if (typeof $ref !== "string" || inside.includes($ref))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(document, member, inside)]));
  return { ...resolved(document, at(document, placeOf($ref)), [...inside, $ref]), ...resolved(document, others, inside), $$ref: $ref };
};
const resolveSubtree = async (document, path) => ({ spec: resolved(document, at(document, path), []), errors: [] });

const matches = (phrase, tag) => (operation) =>
  [tag, operation.get("method"), operation.get("path"), operation.getIn(["operation", "operationId"]),
    operation.getIn(["operation", "summary"])].join(" ").toLowerCase().includes(phrase.toLowerCase());
const opsFilter = (groups, phrase) => groups
  .map((group, tag) => group.set("operations", group.get("operations").filter(matches(phrase, tag))))
  .filter((group) => group.get("operations").size > 0);

SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  filter: true,
  plugins: [() => ({ fn: { opsFilter, resolveSubtree } })],
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** All errors have the same shape: one example at the top replaces eight per operation. */
const styleChanges = `body { margin: 0; color: #14202c; font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
.dark-mode, .dark-mode body, html.dark-mode .swagger-ui { background: #0d1217; }
.dark-mode body { color: #e7ecf1; }
.top { display: flex; align-items: center; gap: 8px; height: 52px; padding: 0 20px; border-bottom: 1px solid #e2e7ed; font-size: 16px; }
.dark-mode .top { border-color: #242e39; }
.top svg, .top a { color: #0b6b68; }
.dark-mode :is(.top svg, .top a) { color: #46beb5; }
.top a { margin-left: auto; font-size: 14px; }
.how-to { max-width: 1160px; margin: 24px auto 0; padding: 0 20px; }
.swagger-ui .wrapper { max-width: 1200px; }
.swagger-ui, .swagger-ui :is(.info, .opblock-tag, .opblock-summary) :is(h2, p, a, small, .opblock-summary-method, .opblock-summary-description),
.swagger-ui :is(.opblock-tag, .opblock-description-wrapper p, .markdown p, .renderedMarkdown p, label, .btn, table, input, select) {
  font-family: system-ui, sans-serif;
}
.swagger-ui .information-container { padding: 0 20px; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .info .title { font-size: 28px; }
.swagger-ui .scheme-container, html.dark-mode .swagger-ui .scheme-container { padding: 12px 0; background: none; box-shadow: none; }
.swagger-ui .opblock { border-radius: 6px; box-shadow: none; }
.swagger-ui .opblock .opblock-summary-path { font-size: 14px; }
.swagger-ui tr.response:not([data-code^="2"]) :is(.response-controls, .model-example) { display: none; }
.swagger-ui tr.response .response-col_description p { margin: 0 0 6px; }
.swagger-ui .parameters-col_description textarea { min-height: 60px; }
`;

/** The page may only load its own files and connect to this server. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

export function docsRoutes(): Record<string, () => HttpResponse | Promise<HttpResponse>> {
  const text = (body: string, type: string) => () =>
    new HttpResponse(200, new HttpHeaders({ "content-type": type, "content-security-policy": policy }), body);
  const file = (path: string, type: string) => async () =>
    new HttpResponse(
      200,
      new HttpHeaders({ "content-type": type, "cache-control": "max-age=3600" }),
      await Bun.file(path).bytes(),
    );
  return {
    "/docs": text(page, "text/html; charset=utf-8"),
    "/docs/theme.js": text(theme, "text/javascript; charset=utf-8"),
    "/docs/start.js": text(start, "text/javascript; charset=utf-8"),
    "/docs/reference.css": text(styleChanges, "text/css; charset=utf-8"),
    "/docs/swagger-ui.js": file(script, "text/javascript; charset=utf-8"),
    "/docs/swagger-ui.css": file(styles, "text/css; charset=utf-8"),
  };
}
