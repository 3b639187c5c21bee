import { expect, test } from "bun:test";
import fc from "fast-check";
import { PathRouter } from "./path-router.ts";

function routerOf(...templates: string[]): PathRouter<string> {
  const router = new PathRouter<string>();
  for (const template of templates) router.add(template, "GET", template);
  return router;
}

const api = routerOf(
  "/",
  "/things",
  "/things/mine",
  "/things/{id}",
  "/things/{id}.json",
  "/things/{id}/parts/{part}",
  "/things/mine/parts",
  "/files/{name}.tar.{ending}",
  "/v{major}/caf%C3%A9",
  "/closed/",
);

test.each([
  ["/", "/", {}],
  ["/things", "/things", {}],
  ["/things/mine", "/things/mine", {}],
  ["/things/42", "/things/{id}", { id: "42" }],
  ["/things/42.json", "/things/{id}.json", { id: "42" }],
  ["/things/a.b.json", "/things/{id}.json", { id: "a.b" }],
  ["/things/.json", "/things/{id}", { id: ".json" }],
  ["/things/mine/parts", "/things/mine/parts", {}],
  ["/things/mine/parts/7", "/things/{id}/parts/{part}", { id: "mine", part: "7" }],
  ["/things/a%2Fb", "/things/{id}", { id: "a/b" }],
  ["/things/%C3%A9%20x", "/things/{id}", { id: "é x" }],
  ["/files/a.tar.gz", "/files/{name}.tar.{ending}", { name: "a", ending: "gz" }],
  ["/files/a.tar.tar.gz", "/files/{name}.tar.{ending}", { name: "a", ending: "tar.gz" }],
  ["/v2/caf%C3%A9", "/v{major}/caf%C3%A9", { major: "2" }],
  ["/%74hings", "/things", {}],
  // A trailing slash: the exact path is tried first, then the path with or without the slash.
  ["/things/", "/things", {}],
  ["/things/42/", "/things/{id}", { id: "42" }],
  ["/closed", "/closed/", {}],
  ["/closed/", "/closed/", {}],
])("%s leads to %s", (path, template, params) => {
  const found = api.find(path);
  expect(found).toMatchObject({ template });
  expect({ ...(found as { params: object }).params }).toEqual(params);
});

test.each([["/nowhere"], ["//things"], ["/things//"], ["/things/42/parts"], ["/files/a.tar."], ["/THINGS"]])(
  "%s matches no route",
  (path) => {
    expect(api.find(path)).toBeUndefined();
  },
);

test.each([["/things/%zz"], ["/things/%"], ["/things/%C3"], ["/things/%00"], ["/%zz"]])("%s is invalid", (path) => {
  expect(api.find(path)).toBe("invalid");
});

const withRest = routerOf("/", "/files", "/files/{path+}", "/files/{dir}/list", "/{a}/raw/{path+}", "/{path+}");

test.each([
  ["/files/a", "/files/{path+}", { path: "a" }],
  ["/files/a/b%20c/", "/files/{path+}", { path: "a/b c/" }],
  ["/files/a/list", "/files/{dir}/list", { dir: "a" }],
  ["/files/a/list/", "/files/{dir}/list", { dir: "a" }],
  ["/files/raw/x", "/files/{path+}", { path: "raw/x" }],
  ["/other/raw/x/y", "/{a}/raw/{path+}", { a: "other", path: "x/y" }],
  ["/other/raw/", "/{path+}", { path: "other/raw/" }],
  ["/files/", "/files", {}],
  ["/x//y", "/{path+}", { path: "x//y" }],
  ["/", "/", {}],
])("%s leads to %s, which may end in a catch-all", (path, template, params) => {
  const found = withRest.find(path);
  expect(found).toMatchObject({ template });
  expect({ ...(found as { params: object }).params }).toEqual(params);
});

test("a strict router rejects only paths that an upstream may match to another template", () => {
  const router = new PathRouter<string>(true);
  for (const template of ["/a/{id}", "/a/{id}/b", "/a/me", "/Odd/Case", "/odd/{rest+}", "/x;y", "/x"])
    router.add(template, "GET", template);
  for (const path of ["/a/1%2fb", "/a/1%5cb", "/a/me;v", "/odd/..;/a/1", "/odd/case"])
    expect(router.find(path)).toBe("invalid");
  const templates = ["/a/1%2fc", "/a/1;v", "/a/ME", "/odd/CASES", "/Odd/Case", "/x;y"].map((path) => router.find(path));
  expect(templates.map((found) => (found as { template: string }).template)).toEqual([
    "/a/{id}",
    "/a/{id}",
    "/a/{id}",
    "/odd/{rest+}",
    "/Odd/Case",
    "/x;y",
  ]);
});

test("methods of one path are grouped, whatever the names of its parameters", () => {
  const router = new PathRouter<string>();
  router.add("/a/{x}", "GET", "get");
  router.add("/a/{x}", "POST", "post");
  router.add("/a/{y}/b", "GET", "nested");
  expect(router.find("/a/1")).toMatchObject({ targets: { GET: "get", POST: "post" } });
  expect(router.find("/a/1/b")).toMatchObject({ params: { y: "1" }, targets: { GET: "nested" } });
});

// Backtracking would take hours.
test("paths are matched in linear time", () => {
  const router = routerOf("/{a}-{b}-{c}-{d}-{e}x", `/{p}${"/{p}".repeat(8)}/end`);
  expect(router.find(`/${"-".repeat(200_000)}`)).toBeUndefined();
  expect(router.find("/a".repeat(50_000))).toBeUndefined();
});

/** A simple reference implementation that tries every template and compares segment by segment. */
function naive(templates: string[], path: string): string | undefined {
  const rank = (segment: string) => (!segment.includes("{") ? 0 : /^\{[^{}]*\}$/.test(segment) ? 2 : 1);
  const literalLength = (segment: string) => segment.replace(/\{[^{}]*\}/g, "").length;
  const matches = (template: string, candidate: string) => {
    const pattern = template.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^{}]*\}/g, "([^/]+?)");
    return new RegExp(`^${pattern}$`).test(candidate);
  };
  const best = (candidate: string) =>
    templates
      .filter((template) => matches(template, candidate))
      .sort((one, other) => {
        const [left, right] = [one.split("/"), other.split("/")];
        for (const [index, segment] of left.entries()) {
          const difference = rank(segment) - rank(right[index]!);
          if (difference !== 0) return difference;
          const longer = literalLength(right[index]!) - literalLength(segment);
          if (longer !== 0) return longer;
        }
        return 0;
      })[0];
  return best(path) ?? best(path.endsWith("/") ? path.slice(0, -1) : `${path}/`);
}

test("finds the same route as trying every template", () => {
  const segment = fc.constantFrom("a", "b", "{p}", "a{p}", "{p}.x", "a{p}.x", "");
  const template = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}`);
  const path = fc
    .array(fc.constantFrom("a", "b", "c", "ab", "a.x", "ab.x", ".x", ""), { minLength: 1, maxLength: 4 })
    .map((segments) => `/${segments.join("/")}`);
  fc.assert(
    fc.property(fc.uniqueArray(template, { minLength: 1, maxLength: 8 }), path, (templates, path) => {
      const found = routerOf(...templates).find(path);
      expect(found === undefined ? undefined : (found as { template: string }).template).toBe(naive(templates, path)!);
    }),
    { numRuns: 3000 },
  );
});

test("ten thousand templates of one level are added in time", () => {
  const numbers = Array.from({ length: 10_000 }, (_, number) => number);
  const router = routerOf(...numbers.map((number) => `/{id}.v${number}`));
  expect(router.find("/a.v9876")).toMatchObject({ template: "/{id}.v9876", params: { id: "a" } });
  expect(router.find("/a.v98765")).toBeUndefined();
});
