import { type ProxyProject, proxyProject } from "../../client/index.ts";
import type { ExistingApi } from "./existing-api.ts";

export interface NewProject {
  name: string;
  /** Undefined outside of a repository: the server's default applies. */
  productionBranch: string | undefined;
}

/** The files of an example project: an open route, a protected route, code, and a policy with options. */
export function newProject({ name, productionBranch }: NewProject): Record<string, string> {
  return {
    "openapi.json": json({
      openapi: "3.1.0",
      info: { title: name, version: "1.0.0" },
      paths: {
        "/hello/{name}": {
          get: {
            operationId: "hello",
            summary: "Handled by code, for requests with a key",
            parameters: [{ name: "name", in: "path", required: true, schema: { type: "string", maxLength: 100 } }],
            "x-tollgate": { handler: "modules/hello.ts", policies: ["key", "limit", "valid"] },
            responses: { "200": { description: "A greeting" } },
          },
        },
        "/status": {
          get: {
            operationId: "status",
            summary: "Open to all clients",
            "x-tollgate": { handler: "modules/status.ts" },
            responses: { "200": { description: "The status of the service" } },
          },
        },
      },
    }),
    "tollgate.json": json({
      productionBranch,
      policies: { ...keyAndLimit, valid: { type: "validate" } },
      environment: { GREETING: "Hello" },
    }),
    "modules/hello.ts": `import type { Handler } from "tollgate/gateway";

/** \`context.user\` is the holder of the key; the key itself is not passed to code. */
const hello: Handler = (_request, context) => {
  context.log.info(\`\${context.user?.sub} greets \${context.params.name}\`);
  return Response.json({ greeting: \`\${context.environment.GREETING}, \${context.params.name}!\`, from: context.user?.sub });
};

export default hello;
`,
    "modules/status.ts": `import type { Handler } from "tollgate/gateway";

const status: Handler = () => Response.json({ works: true });

export default status;
`,
    "README.md": `${readme(name, { hasCode: true })}
To send a route to a server of yours instead of to code, give it \`"x-tollgate": {"upstream": "https://api.example.com"}\`.

Its keys are in the bucket \`main\`:

    tollgate consumers create acme --with-key
`,
  };
}

/** The files of a project in front of an existing API. Every route requires a key and has a rate limit. */
export function projectFor(api: ExistingApi, { name, productionBranch }: NewProject): Record<string, string> {
  return {
    ...api.files,
    "tollgate.json": json({
      productionBranch,
      upstream: api.upstream,
      policies: keyAndLimit,
      defaultPolicies: ["key", "limit"],
    }),
    "README.md": `${readme(name, { document: Object.keys(api.files)[0]! })}
Requests go to ${api.upstream}. Every route requires a key and limits its requests, by \`defaultPolicies\` in
\`tollgate.json\`. To open one, or to guard it in another way, name its policies in the document:

    "x-tollgate": {"policies": []}

Its keys are in the bucket \`main\`:

    tollgate consumers create acme --with-key
`,
  };
}

/**
 * The files of a project in front of an API without an OpenAPI document: every path and method is forwarded to the
 * upstream.
 */
export function proxyFor(
  upstream: string,
  { name, productionBranch }: NewProject,
  options: Pick<ProxyProject, "preserveHost" | "bucket" | "quota">,
): Record<string, string> {
  const limits = options.quota ? `takes 1 of \`${options.quota.meter}\` from the plan of its consumer` : "is limited";
  return {
    ...proxyProject({ title: name, upstream, productionBranch, ...options }),
    "README.md": `${readme(name)}
Requests go to ${upstream}, whatever their path and method: \`/{path+}\` matches the paths that no other route matches, and
\`x-tollgate-any\` the methods that a path does not list. Every request requires a key and ${limits}, by \`defaultPolicies\` in
\`tollgate.json\`. To open a path, or to guard it in another way, add it to the document:

    "/status": { "get": { "x-tollgate": { "policies": [] } } }

Its keys are in the bucket \`${options.bucket}\`:

    tollgate consumers create acme --with-key${options.bucket === "main" ? "" : ` --bucket ${options.bucket}`}
`,
  };
}

function readme(name: string, { document = "openapi.json", hasCode = false } = {}): string {
  return `# ${name}

A gateway for Tollgate. \`${document}\` defines the routes: every operation is one, and \`x-tollgate\` sets where it goes
and what guards it. \`tollgate.json\` names the policies.${hasCode ? " `modules/` contains code." : ""}

    tollgate dev          # on this machine, with reload and a key that works
    tollgate deploy       # to the server that you are logged in to
`;
}

/** Each route requires a key and has a rate limit. */
export const keyAndLimit = {
  key: { type: "api-key", options: { bucket: "main" } },
  limit: { type: "rate-limit", options: { by: "consumer", requests: 60, windowSeconds: 60 } },
};

export function json(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
