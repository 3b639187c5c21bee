/**
 * `npm run generate`: writes what each setting must be into docs/settings.md, as the code reads it: each is set to something
 * wrong, and the error says so.
 */
import { join } from "node:path";
import { parseConfig, unusedSettings } from "../src/config/config.ts";

const documentPath = join(import.meta.dir, "../docs/settings.md");

/** What each setting must be, as its error says, and which other setting it needs. */
function valuesOf(name: string): string {
  const wrong = "\u0001";
  const { errors } = parseConfig({ [name]: wrong });
  const error = errors.find((each) => each.startsWith(`${name} must be `));
  const rule = error
    ?.slice(`${name} must be `.length)
    .replace(/(, not "[^"]*")?\.$/, "")
    .replace(/, separated by commas$/, "; several by commas");
  const [unused] = unusedSettings((each) => (each === name ? wrong : undefined));
  const sentences = [rule && `Must be ${rule}.`, unused && `Only with \`${unused.needs}\`.`].filter(Boolean);
  return sentences.length === 0 ? "" : ` *${sentences.join(" ")}*`;
}

/** The page with these sentences at the end of each row as the code has them. */
export function withValues(page: string): string {
  return page.replaceAll(
    /^(\| `([A-Z_]+)` \|.*?)( \*(?:Must be|Only with) [^*]*\*)? \|$/gm,
    (_, row: string, name: string) => `${row}${valuesOf(name)} |`,
  );
}

if (import.meta.main) await Bun.write(documentPath, withValues(await Bun.file(documentPath).text()));
