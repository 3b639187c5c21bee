import { Problem } from "../../../core/problems/problem.ts";

/** A member of the body, such as `tools`, that breaks a rule. */
export function badMember(name: string, detail: string): Problem {
  return new Problem("request_invalid", {
    detail: `\`${name}\` ${detail}.`,
    errors: [{ pointer: `/${name.replaceAll(".", "/")}`, detail }],
  });
}
