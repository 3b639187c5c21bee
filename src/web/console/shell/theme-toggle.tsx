import { Moon, Sun } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";

export function ThemeToggle() {
  const [isDark, setDark] = useState(() => {
    const { theme } = document.documentElement.dataset;
    return theme ? theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  });
  const toggle = () => {
    const theme = isDark ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("tollgate-theme", theme);
    setDark(!isDark);
  };
  return (
    <Button kind="quiet" isIcon onClick={toggle} aria-label={isDark ? "Use the light theme" : "Use the dark theme"}>
      {isDark ? <Sun size={16} aria-hidden /> : <Moon size={16} aria-hidden />}
    </Button>
  );
}
