import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deploymentName, maxProjectNameLength } from "./naming.ts";

const slugOf = (branch: string) => deploymentName("acct_1", "p", branch, 0).name.slice("p-".length, -8);

describe("the name of a deployment", () => {
  test.each([
    ["main", "main"],
    ["feature/Login-Page", "feature-lo"],
    ["fix__it", "fix-it"],
    ["-dashed-", "dashed"],
    ["ten-chars-and-more", "ten-chars"],
    ["größe", "gr-e"],
    ["///", "branch"],
  ])("has of branch %s the part %s", (branch, slug) => {
    expect(slugOf(branch)).toBe(slug);
  });

  test("ends with the same code for the same branch, and with another for every other", () => {
    const name = (account: string, project: string, branch: string, attempt = 0) =>
      deploymentName(account, project, branch, attempt).code;
    const code = name("acct_1", "orders", "main");
    expect(code).toMatch(/^[0-9a-f]{7}$/);
    expect(name("acct_1", "orders", "main")).toBe(code);
    const others = [
      name("acct_2", "orders", "main"),
      name("acct_1", "order", "main"),
      name("acct_1", "orders", "dev"),
      name("acct_1", "orders", "main", 1),
    ];
    expect(new Set([code, ...others]).size).toBe(5);
  });

  test("is always one part of a host name", () => {
    const project = fc.stringMatching(new RegExp(`^[a-z0-9]([a-z0-9-]{0,${maxProjectNameLength - 2}}[a-z0-9])?$`));
    fc.assert(
      fc.property(project, fc.string({ minLength: 1, maxLength: 255, unit: "grapheme" }), (name, branch) => {
        expect(deploymentName("acct_1", name, branch, 0).name).toMatch(/^(?=.{1,63}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
      }),
    );
  });
});
