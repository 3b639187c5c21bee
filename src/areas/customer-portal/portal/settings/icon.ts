import { accentColors } from "./accent.ts";

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
