import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import script from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };

/** The reference at /docs, from files that ship with the server: nothing is loaded from elsewhere. */
const page = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Tollgate reference</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
  <div id="reference"></div>
  <script src="/docs/swagger-ui.js"></script>
  <script src="/docs/start.js"></script>
</body>
</html>
`;

const start = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

/** The page may run its own files and talk to this server, and nothing else. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

export function docsRoutes(): Record<string, () => Response> {
  const text = (body: string, type: string) => () =>
    new Response(body, { headers: { "content-type": type, "content-security-policy": policy } });
  const file = (path: string, type: string) => () =>
    new Response(Bun.file(path), { headers: { "content-type": type, "cache-control": "max-age=3600" } });
  return {
    "/docs": text(page, "text/html; charset=utf-8"),
    "/docs/start.js": text(start, "text/javascript; charset=utf-8"),
    "/docs/swagger-ui.js": file(script, "text/javascript; charset=utf-8"),
    "/docs/swagger-ui.css": file(styles, "text/css; charset=utf-8"),
  };
}
