import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Mount, MountTable, mountedPath } from "./mount-table.ts";

const mountsOf = (...paths: string[]): Mount[] => paths.map((path) => ({ path, deploymentName: `at ${path}` }));
const found = (table: MountTable, path: string) => {
  const mount = table.find(path);
  return typeof mount === "object" ? mount.path : mount;
};

const segment = fc.constantFrom("a", "b", "aa", "ab", "a.b", "v1", "=", "~x");
const prefix = fc.array(segment, { maxLength: 3 }).map((segments) => `/${segments.join("/")}`);

test("the longest prefix of whole segments is selected", () => {
  const mounts = fc.uniqueArray(prefix, { minLength: 1, maxLength: 12 });
  const path = fc.tuple(prefix, fc.constantFrom("", "/", "/c", "c", "/c/d", "/.a"), fc.boolean());
  fc.assert(
    fc.property(mounts, path, (paths, [start, end, isEscaped]) => {
      const requested = start === "/" ? `/${end.replace(/^\//, "")}` : start + end;
      const matching = paths.filter((each) => each === "/" || requested === each || requested.startsWith(`${each}/`));
      const longest = matching.sort((one, other) => other.length - one.length)[0];
      const sent = isEscaped
        ? requested.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
        : requested;
      expect(found(new MountTable(mountsOf(...paths)), sent)).toBe(longest);
    }),
    { numRuns: 2_000 },
  );
});

test("no reading of a path that is served belongs to another mount", () => {
  const table = new MountTable(mountsOf("/", "/admin", "/admin/open", "/shop"));
  const piece = fc.constantFrom(
    "/",
    "//",
    "%2f",
    "%5C",
    "\\",
    ";x",
    "%3b",
    "..",
    ".",
    "%2e",
    "%252f",
    "admin",
    "Admin",
    "open",
    "shop",
  );
  // As an upstream may interpret it, whatever it does first.
  const readings = (path: string): string[] => {
    const decoded = path
      .replace(/%25/g, "%")
      .replace(/%2f|%5c|\\/gi, "/")
      .replace(/%2e/gi, ".")
      .replace(/%3b/gi, ";");
    return [decoded.replace(/;[^/]*/g, ""), decoded]
      .map((text) => new URL(text.replace(/\/+/g, "/"), "http://upstream").pathname.toLowerCase())
      .map((text) => ["/admin/open", "/admin", "/shop"].find((each) => `${text}/`.startsWith(`${each}/`)) ?? "/");
  };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 7 }), (pieces) => {
      const path = `/${pieces.join("")}`;
      // The server resolves raw backslashes and dot segments before it routes.
      const sent = new URL(path.replace(/\\/g, "/").replace(/^\/+/, "/"), "http://gateway").pathname;
      const mount = found(table, sent);
      if (mount === "invalid") return;
      expect({ sent, mounts: readings(sent) }).toEqual({ sent, mounts: readings(sent).map(() => mount!) });
    }),
    { numRuns: 20_000 },
  );
});

describe("paths", () => {
  const table = new MountTable(mountsOf("/", "/admin", "/v1/Files"));
  test.each([
    ["/", "/"],
    ["/admin", "/admin"],
    ["/admin/", "/admin"],
    ["/administrator", "/"],
    ["/%61dmin/x", "/admin"],
    ["/v1/Files/a%2fb", "/v1/Files"],
    ["/v1", "/"],
    ["/x;admin", "/"],
    ["/ADMIN", "invalid"],
    ["/admin.", "invalid"],
    ["/v1/files", "invalid"],
    ["//admin", "invalid"],
    ["/admin%2fx", "invalid"],
    ["/admin;a=b/x", "invalid"],
    ["/x%2f..%2fadmin", "invalid"],
    ["/x/..;/admin", "invalid"],
    ["/admin/..;/x", "invalid"],
    ["/admin%252fx", "invalid"],
    ["/%zz", "invalid"],
  ])("%s selects %s", (path, mount) => {
    expect(found(table, path)).toBe(mount);
  });

  test("without a mount at /, other paths select none", () => {
    expect(found(new MountTable(mountsOf("/a")), "/b")).toBeUndefined();
    expect(found(new MountTable(mountsOf("/a")), "/a/..;/b")).toBe("invalid");
  });

  test.each([
    ["/billing", "/billing", "/"],
    ["/billing", "/billing/", "/"],
    ["/billing", "/billing/a%20b/", "/a%20b/"],
    ["/billing", "/%62illing/a", "/a"],
    ["/a/b", "/a/b/c//d", "/c//d"],
    ["/", "/a", "/a"],
  ])("a mount at %s passes %s on as %s", (path, sent, seen) => {
    expect(mountedPath({ path, deploymentName: "d", stripPath: true }, sent)).toBe(seen);
    expect(mountedPath({ path, deploymentName: "d" }, sent)).toBe(sent);
  });
});
