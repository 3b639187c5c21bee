import { chooseTheme, themes, useTheme } from "../lib/themes.ts";
import { Button } from "./button.tsx";

/** Light, dark, and the system's, in turn. */
export function ThemeButton() {
  const current = useTheme();
  const next = themes[(themes.indexOf(current) + 1) % themes.length]!;
  return (
    <Button
      icon={current.icon}
      kind="quiet"
      isIcon
      aria-label={`Theme: ${current.label}. Change to ${next.label.toLowerCase()}`}
      title={`Theme: ${current.label}`}
      onClick={() => chooseTheme(next.name)}
    />
  );
}
