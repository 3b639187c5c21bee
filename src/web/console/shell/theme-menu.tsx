import { Check } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { chooseTheme, themes, useTheme } from "../../lib/themes.ts";

export function ThemeMenu() {
  const current = useTheme();
  return (
    <Menu
      trigger={
        <Button kind="quiet" isIcon aria-label={`Theme: ${current.label}`}>
          <current.icon size={16} aria-hidden />
        </Button>
      }
      note="Theme"
      actions={themes.map(({ name, label, icon }) => {
        const Icon = name === current.name ? Check : icon;
        return { label, icon: <Icon size={16} aria-hidden />, onSelect: () => chooseTheme(name) };
      })}
    />
  );
}
