/**
 * `npm run generate`: writes the column "values" of docs/settings.md, as the code reads the settings: each is set to something
 * wrong, and the error says what it must be.
 */
import { join } from "node:path";
import { parseConfig } from "../src/config/config.ts";
import { unusedSettings } from "../src/config/unused-settings.ts";

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
  return [rule, unused && `with \`${unused.needs}\``].filter(Boolean).join("; ");
}

/** The page with this column as the code has it. */
export function withValues(page: string): string {
  return page.replaceAll(/^\| `[A-Z_]+` \|.*$/gm, (row) => {
    const [start, name, fallback, , ...meaning] = row.split("|");
    const values = valuesOf(name!.replaceAll(/[` ]/g, ""));
    return [start, name, fallback, values === "" ? " " : ` ${values} `, ...meaning].join("|");
  });
}

if (import.meta.main) await Bun.write(documentPath, withValues(await Bun.file(documentPath).text()));
