import { z } from "zod";
import { templateText } from "../path-template/schema.ts";

const statuses = [301, 302, 303, 307, 308] as const;

export const redirectOptions = z.strictObject({
  to: templateText
    .refine(isLocation, "must be a path that begins with one /, or an http or https URL without credentials")
    .refine((text) => !/[^\x21-\x7e]/.test(text), "must be visible ASCII characters: percent-encode the others")
    .meta({ description: "A path or URL, with {name} for parameters of the route, but not in the host." }),
  status: z.literal(statuses).default(302).meta({ description: "301, 302, 303, 307 or 308." }),
});

export type RedirectOptions = z.output<typeof redirectOptions>;

function isLocation(text: string): boolean {
  if (/^\/(?![/\\])/.test(text)) return true;
  const [, origin] = /^(https?:\/\/[^/?#]+)/i.exec(text) ?? [];
  return origin !== undefined && !/[{}@\\]/.test(origin) && URL.canParse(origin);
}
