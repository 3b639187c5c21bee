import { SourceMap } from "node:module";

const inlineMap = /\n\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/;
/** A position in the bundle, as in stack traces of workerd. */
const bundled = /\bcode:(\d+):(\d+)/g;

/** A limit, because code can log lines that look like long stack traces. */
const maxPlaces = 50;

/**
 * Translates positions in bundled code to those of the project's modules, by the source map at the end of the bundle.
 */
export class SourceLines {
  #map: SourceMap | null | undefined;

  constructor(private readonly code: string) {}

  /** The text with `modules/hello.ts:7:9` instead of `code:120:13`; unknown positions are unchanged. */
  translate(text: string): string {
    if (!text.includes("code:")) return text;
    this.#map ??= read(this.code);
    const map = this.#map;
    if (!map) return text;
    let places = 0;
    return text.replace(bundled, (place, line: string, column: string) => {
      places += 1;
      return places > maxPlaces ? place : (sourceOf(map, Number(line), Number(column)) ?? place);
    });
  }
}

function sourceOf(map: SourceMap, line: number, column: number): string | undefined {
  const entry = map.findEntry(line - 1, column - 1);
  if (!("originalSource" in entry) || typeof entry.originalSource !== "string") return undefined;
  const file = entry.originalSource.replace(/^project:/, "");
  return file.startsWith("modules/") ? `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}` : undefined;
}

/** Returns null if there is no valid source map: positions in the bundle are then not translated. */
function read(code: string): SourceMap | null {
  try {
    const encoded = inlineMap.exec(code)?.[1];
    return encoded === undefined ? null : new SourceMap(JSON.parse(Buffer.from(encoded, "base64").toString()));
  } catch {
    return null;
  }
}
