import { expect, test } from "bun:test";
import { buildMarked, type Files } from "../../test/support/gateway-project.ts";
import { api, openapi, policies, settings, up } from "../../test/support/project-files.ts";

/** Errors in tollgate.json, in x-tollgate, and in the policies and modules that they name. */
test.each<[string, Files, string]>([
  [
    "a body for a built-in policy",
    policies('"p": { "type": "cors", "options": { "origins": "*" }, ▶"body": { "request": "buffer" } }'),
    'is for policies in code: those of type "cors" read the bodies that they need without it',
  ],
  [
    "a body that is too large",
    {
      ...policies('"p": { "type": "modules/p.ts", "body": { "maxBytes": ▶99999999 } }'),
      "modules/p.ts": "export default () => undefined;",
    },
    "must be at most 16777216, which is 16 MiB",
  ],
  [
    "a response that nothing reads",
    {
      ...policies('"p": { "type": "modules/p.ts", "body": { "response": ▶"buffer" } }'),
      "modules/p.ts": "export default () => undefined;",
    },
    'modules/p.ts does not export "onResponse", which would read the response',
  ],
  [
    "JSON: a comma missing",
    settings('{\n  "upstream": "http://u"\n  ▶"timeoutSeconds": 3 }'),
    "not JSON: a comma is expected here",
  ],
  [
    "JSON: a trailing comma",
    settings('{ "timeoutSeconds": 3, ▶}'),
    "not JSON: a name in double quotes is expected here",
  ],
  ["JSON: a comment", settings('{ ▶/* no */ "timeoutSeconds": 3 }'), "not JSON: JSON has no comments"],
  ["JSON: cut short", settings('{ "timeoutSeconds": 3▶'), "not JSON: a closing brace is expected here"],
  ["JSON: empty", settings("▶"), "not JSON: a value is expected here"],
  [
    "JSON: twice the same member",
    settings('{ "timeoutSeconds": 3, ▶"timeoutSeconds": 4 }'),
    'the member "timeoutSeconds" is defined twice',
  ],
  [
    "JSON: __proto__",
    settings('{ ▶"__proto__": { "upstream": "http://u" } }'),
    'a member may not be called "__proto__"',
  ],
  ["JSON: a list for settings", settings("▶[]"), "must be of type object"],
  [
    "an operation without upstream or handler",
    { "openapi.json": openapi().replace('"get"', '▶"get"') },
    "GET /a has no upstream or handler",
  ],
  [
    "an upstream and a handler",
    {
      "openapi.json": openapi({ operation: '"x-tollgate": { "upstream": "http://u", "handler": ▶"modules/a.ts" },' }),
      "modules/a.ts": "export default 1",
    },
    '"handler" cannot be combined with upstream',
  ],
  [
    "an unknown member of x-tollgate",
    api({ operation: '"x-tollgate": { ▶"polices": [] },' }),
    'unknown member "polices"; did you mean "policies"?',
  ],
  [
    "x-tollgate of a path",
    api({ item: '"x-tollgate": { "timeoutSeconds": ▶0 },' }),
    '"timeoutSeconds" must be at least 1',
  ],
  [
    "a header that is forwarded anyway",
    api({ operation: '"x-tollgate": { "forwardHeaders": ["X-Original-URL", ▶"x-other"] },' }),
    '"forwardHeaders.1" must be one of "fly-client-ip", "remote-user", ',
  ],
  [
    "x-tollgate of the document",
    api({ root: '"x-tollgate": { "upstream": "http://u", ▶"timeout": 3 },' }),
    'unknown member "timeout"',
  ],
  [
    "an unknown policy",
    {
      ...policies('"p": { "type": "validate" }, "qota": { "type": "validate" }'),
      "openapi.json": openapi({ root: '"x-tollgate": { "upstream": "http://u", "policies": ["p", ▶"quota"] },' }),
    },
    'unknown policy "quota"; did you mean "qota"?',
  ],
  [
    "a policy called constructor that is not",
    api({ operation: '"x-tollgate": { "policies": [▶"constructor"] },' }),
    'unknown policy "constructor"',
  ],
  [
    "a policy twice",
    {
      ...policies('"p": { "type": "validate" }'),
      "openapi.json": openapi({ root: '"x-tollgate": { "upstream": "http://u", "policies": ["p", ▶"p"] },' }),
    },
    'the policy "p" is listed twice',
  ],
  [
    "a cache before what authenticates",
    {
      ...policies(
        '"c": { "type": "cache", "options": { "seconds": 1 } }, "k": { "type": "api-key", "options": { "bucket": "b" } }',
      ),
      "openapi.json": openapi({ root: '"x-tollgate": { "upstream": "http://u", "policies": [▶"c", "k"] },' }),
    },
    'the cache "c" is before "k" and would serve its responses to all clients: put it after that policy',
  ],
  [
    "a cache before code",
    {
      ...policies(
        '"c": { "type": "cache", "options": { "seconds": 1 } }, "v": { "type": "validate" }, "m": { "type": "modules/m.ts" }',
      ),
      "openapi.json": openapi({ root: up, operation: '"x-tollgate": { "policies": ["v", ▶"c", "m"] },' }),
      "modules/m.ts": "export default () => undefined",
    },
    'the cache "c" is before "m" and would serve its responses to all clients: put it after that policy',
  ],
  [
    "a handler that does not exist",
    {
      ...api({ operation: '"x-tollgate": { "handler": ▶"modules/helo.ts" },' }),
      "modules/hello.ts": "export default 1",
    },
    'there is no module "modules/helo.ts"; did you mean "modules/hello.ts"?',
  ],
  [
    "a handler outside modules/",
    api({ operation: '"x-tollgate": { "handler": ▶"/etc/passwd" },' }),
    '"handler" must be the path of a module',
  ],
  [
    "a handler without a default export",
    { ...api({ operation: '"x-tollgate": { "handler": "modules/a.ts" },' }), "modules/a.ts": "▶export const a = 1;" },
    "has no default export",
  ],
  [
    "an unknown member of tollgate.json",
    settings('{ ▶"upstreams": "http://u" }'),
    'unknown member "upstreams"; did you mean "upstream"?',
  ],
  [
    "an upstream with a query",
    settings('{ "upstream": ▶"http://u/?a" }'),
    '"upstream" must be an http or https origin',
  ],
  [
    "an upstream with a fragment",
    settings('{ "upstream": ▶"http://u/#a" }'),
    '"upstream" must be an http or https origin',
  ],
  [
    "an upstream with credentials",
    settings('{ "upstream": ▶"http://a:b@u" }'),
    '"upstream" must be an http or https origin',
  ],
  [
    "an upstream of another kind",
    settings('{ "upstream": ▶"file:///etc/passwd" }'),
    '"upstream" must be an http or https origin',
  ],
  [
    "an upstream that is no address",
    settings('{ "upstream": ▶"http://[::1" }'),
    '"upstream" must be an http or https origin',
  ],
  ["a timeout too long", settings('{ "timeoutSeconds": ▶601 }'), '"timeoutSeconds" must be at most 600'],
  [
    "an environment that is no text",
    settings('{ "environment": { "A": ▶1 } }'),
    '"environment.A" must be of type string',
  ],
  ["a bad name in the environment", settings('{ "environment": { ▶"A-B": "1" } }'), '"A-B" must be 1 to 128 letters'],
  [
    "a bad name of a policy",
    settings('{ "policies": { ▶"a b": { "type": "validate" } } }'),
    '"a b" must be 1 to 64 letters',
  ],
  ["a policy without a type", policies('"p": ▶{}'), '"type" is missing'],
  [
    "an unknown type",
    policies('"p": { "type": ▶"api-kye" }'),
    'unknown policy type "api-kye"; did you mean "api-key"?',
  ],
  [
    "a type called toString",
    policies('"p": { "type": ▶"toString" }'),
    'unknown policy type "toString": neither built in nor a module',
  ],
  [
    "a policy module that does not exist",
    policies('"p": { "type": ▶"modules/audit.ts" }'),
    'there is no module "modules/audit.ts"',
  ],
  [
    "an unknown option",
    policies('"p": { "type": "api-key", "options": { "bucket": "main", ▶"heder": "x" } }'),
    'unknown member "heder"; did you mean "header"?',
  ],
  [
    "an option of the wrong type",
    policies('"p": { "type": "rate-limit", "options": { "requests": ▶"many", "windowSeconds": 1 } }'),
    '"requests" must be',
  ],
  [
    "an option that is none of its values",
    policies('"p": { "type": "rate-limit", "options": { "requests": 1, "windowSeconds": 1, "window": ▶"rolling" } }'),
    '"window" must be',
  ],
  [
    "an option that is missing",
    policies('"p": { "type": "rate-limit", "options": ▶{ "requests": 1 } }'),
    '"windowSeconds" is missing',
  ],
  [
    "options that are missing",
    policies('"p": ▶{ "type": "api-key" }'),
    '"options" is missing: a policy of type "api-key" needs "bucket"',
  ],
  [
    "an option of an option",
    policies('"p": { "type": "cors", "options": { "origins": ["http://a", ▶"b"] } }'),
    '"origins.1" must be an origin',
  ],
  [
    "a list of origins without any",
    policies('"p": { "type": "cors", "options": { "origins": ▶[] } }'),
    '"origins" must name at least one origin',
  ],
  ...['"6xx"', "99", "true"].map((status): [string, Record<string, string>, string] => [
    `the status ${status} of a quota`,
    policies(
      `"p": { "type": "quota", "options": { "bucketId": "b", "meters": { "m": 1 }, "statuses": [▶${status}] } }`,
    ),
    '"statuses.0" must be a status such as 200, or a class such as "2xx"',
  ]),
])("%s", async (_, files, message) => {
  const { atMark, elsewhere, report } = await buildMarked(files);
  expect({ atMark, elsewhere }).toEqual({ atMark: [expect.stringContaining(message)], elsewhere: [] });
  expect(report.artifact).toBeUndefined();
});
