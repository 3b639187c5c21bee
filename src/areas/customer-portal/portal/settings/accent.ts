type Rgb = readonly [red: number, green: number, blue: number];

/** The least contrast of text (WCAG 2.2, 1.4.3). */
const minContrast = 4.5;

/** The surfaces of the pages: see tokens.css of the web apps. */
const surfaces = {
  light: { page: [246, 248, 250], ink: [255, 255, 255] },
  dark: { page: [26, 34, 43], ink: [4, 20, 26] },
} satisfies Record<string, { page: Rgb; ink: Rgb }>;

interface AccentColors {
  accent: string;
  hover: string;
  /** Text on the accent. */
  onAccent: string;
  soft: string;
}

/**
 * The colours of a theme that follow from a business's accent. The accent is made darker on light pages and lighter on
 * dark ones, only as far as text in it needs.
 */
export function accentColors(accentColor: string, theme: keyof typeof surfaces): AccentColors {
  const { page, ink } = surfaces[theme];
  const soft = (color: Rgb): Rgb => mixed(page, color, theme === "light" ? 0.1 : 0.14);
  const away: Rgb = theme === "light" ? [0, 0, 0] : [255, 255, 255];
  const isReadable = (color: Rgb) =>
    [page, ink, soft(color)].every((surface) => contrast(color, surface) >= minContrast);
  const given = parse(accentColor);
  let accent = given;
  for (let share = 0.02; !isReadable(accent) && share <= 1; share += 0.02) accent = mixed(given, away, share);
  return {
    accent: format(accent),
    hover: format(mixed(accent, away, 0.15)),
    onAccent: format(ink),
    soft: format(soft(accent)),
  };
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mixed(one: Rgb, other: Rgb, share: number): Rgb {
  return one.map((channel, index) => Math.round(channel + (other[index]! - channel) * share)) as unknown as Rgb;
}

export function parse(color: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb;
}

function format(color: Rgb): string {
  return `#${color.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

/** A style sheet that sets the accent of both themes. Empty without an accent: the default of the pages applies. */
export function accentStyle(accentColor: string | undefined): string {
  if (accentColor === undefined) return "";
  const light = accentColors(accentColor, "light");
  const dark = accentColors(accentColor, "dark");
  const both = (name: keyof AccentColors) => `light-dark(${light[name]}, ${dark[name]})`;
  return `:root {
  --accent: ${both("accent")};
  --accent-hover: ${both("hover")};
  --on-accent: ${both("onAccent")};
  --accent-soft: ${both("soft")};
  --focus: ${both("accent")};
  --chart-1: ${both("accent")};
}
`;
}

/** The accent of pages whose portal has none: see tokens.css of the web apps. */
const defaultAccent = "#0b6b68";

interface Accented {
  accentColor?: string | undefined;
}

/** The colours of icons and mail, which have no dark theme. */
export function lightColorsOf({ accentColor = defaultAccent }: Accented) {
  return accentColors(accentColor, "light");
}

/** The icon of a portal without a logo, as SVG: the first letter of its title on its accent. */
export function portalIcon({ title, ...settings }: Accented & { title: string }) {
  const { accent, onAccent } = lightColorsOf(settings);
  // Letters and digits need no escapes.
  const letter = [...title.trim().toUpperCase()].find((each) => /[\p{L}\p{N}]/u.test(each)) ?? "";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${accent}"/><text x="16" y="22.5" fill="${onAccent}" font-family="Inter, system-ui, sans-serif" font-size="19" font-weight="600" text-anchor="middle">${letter}</text></svg>`;
}
