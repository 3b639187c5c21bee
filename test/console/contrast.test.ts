import { expect, test } from "bun:test";

const tokens = await Bun.file(new URL("../../src/web/styles/tokens.css", import.meta.url)).text();
const components = await Bun.file(new URL("../../src/web/styles/components.css", import.meta.url)).text();

/** The light and the dark value. */
function valuesOf(name: string): [string, string] {
  const [, light, dark] = tokens.match(new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`)) ?? [];
  if (!light || !dark) throw new Error(`There is no colour ${name}.`);
  return [light, dark];
}

/** WCAG 2.2: relative luminance. */
function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

test("borders of fields have a contrast of 3 on every surface, in both themes", () => {
  for (const surface of ["surface", "bg", "raised", "sunken", "hover"])
    for (const theme of [0, 1])
      expect({
        surface,
        theme,
        isEnough: contrast(valuesOf("field-border")[theme]!, valuesOf(surface)[theme]!) >= 3,
      }).toEqual({ surface, theme, isEnough: true });
});

test.each([".input", ".choice"])("%s has that border", (selector) => {
  const rule = components.split(`\n${selector} {`)[1]?.split("}")[0];
  expect(rule).toContain("border: 1px solid var(--field-border)");
});
