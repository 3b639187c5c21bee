import { Monitor, Moon, Smartphone, Sun } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { PortalPreview as Preview } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { bindInput, Select } from "../../../components/field.tsx";
import { messageOf } from "../../../lib/errors.ts";
import { type PreviewMessage, type PreviewPage, previewPath, previewReady } from "../../../lib/portal-preview.ts";
import { useTheme } from "../../../lib/themes.ts";
import { useRead } from "../../queries/session.tsx";
import { type PortalFields, previewOf } from "./portal-form.ts";

const typingMs = 250;

type Device = "computer" | "phone";

/** The widths at which the page is rendered. */
const widths: Record<Device, number> = { computer: 1120, phone: 390 };

const pages: { value: PreviewPage; label: string }[] = [
  { value: "/", label: "Landing page" },
  { value: "/sign-in", label: "Sign-in" },
  { value: "/plans", label: "Plans" },
];

/** The pages of the portal itself, with the settings as they are typed. Nothing is saved, and nothing can be pressed. */
export function PortalPreview({ bucket, form }: { bucket: string; form: PortalFields }) {
  const { data, error } = usePreview(bucket, form);
  const [page, setPage] = useState<PreviewPage>("/");
  const [device, setDevice] = useState<Device>(() => (window.innerWidth < 768 ? "phone" : "computer"));
  const consoleTheme = useShownTheme();
  const [chosenTheme, setTheme] = useState<Theme>();
  const theme = chosenTheme ?? consoleTheme;
  const isPhone = device === "phone";
  const isDark = theme === "dark";
  const shown = pages.filter(({ value }) => value !== "/plans" || data?.pages.includes("plans"));
  // The plans page may disappear while it is shown.
  const open = shown.some(({ value }) => value === page) ? page : "/";
  const mark = form.logo ?? (data && `data:image/svg+xml,${encodeURIComponent(data.icon)}`);
  return (
    <section className="portal-preview" aria-label="Preview">
      <div className="row portal-preview-bar">
        {mark && <img src={mark} alt="" />}
        <strong className="truncate">{data?.site.title}</strong>
        <Select aria-label="Page" options={shown} {...bindInput(open, setPage)} />
        <Button
          icon={isDark ? Moon : Sun}
          kind="quiet"
          isIcon
          aria-label={isDark ? "Preview in the light theme" : "Preview in the dark theme"}
          onClick={() => setTheme(isDark ? "light" : "dark")}
        />
        <Button
          icon={isPhone ? Smartphone : Monitor}
          kind="quiet"
          isIcon
          aria-label={isPhone ? "Preview as on a computer" : "Preview as on a phone"}
          onClick={() => setDevice(isPhone ? "computer" : "phone")}
        />
      </div>
      <PreviewFrame
        device={device}
        message={data && mark ? { type: "portal-preview", page: open, theme, mark, ...data } : undefined}
      />
      {error && (
        <p className="portal-preview-note muted small" role="status">
          The preview shows the last valid settings. {messageOf(error)}
        </p>
      )}
    </section>
  );
}

type Theme = PreviewMessage["theme"];

/** The theme in which the console is shown. */
function useShownTheme(): Theme {
  const { name } = useTheme();
  return name ?? (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

/** The initial data of the pages. The last preview stays while another is loaded, and if the settings are not valid. */
function usePreview(bucket: string, form: PortalFields) {
  const typed = JSON.stringify(previewOf(form));
  const [body, setBody] = useState(typed);
  const [last, setLast] = useState<Preview>();
  useEffect(() => {
    const timer = setTimeout(() => setBody(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const { data, error } = useRead(
    ["portal-preview", bucket, body],
    (api, { signal }): Promise<Preview> => api.portal(bucket).preview(JSON.parse(body), { signal }),
    { gcTime: 0 },
  );
  useEffect(() => {
    if (data) setLast(data);
  }, [data]);
  return { data: data ?? last, error };
}

/** The page as on a device. A computer's is scaled down to the space that there is. */
function PreviewFrame({ device, message }: { device: Device; message: PreviewMessage | undefined }) {
  const frame = useRef<HTMLIFrameElement>(null);
  // How often it was loaded: each time, it waits for the message.
  const [loads, setLoads] = useState(0);
  const [space, around] = useSize();
  useEffect(() => {
    const receive = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === previewReady) setLoads((count) => count + 1);
    };
    window.addEventListener("message", receive);
    return () => window.removeEventListener("message", receive);
  }, []);
  const text = message && JSON.stringify(message);
  useEffect(() => {
    if (loads > 0 && text !== undefined)
      frame.current!.contentWindow!.postMessage(JSON.parse(text), window.location.origin);
  }, [loads, text]);
  const width = device === "phone" ? Math.min(widths.phone, space.width) : widths.computer;
  const scale = Math.min(1, space.width / width);
  return (
    <div className="portal-preview-window" ref={around}>
      {space.width > 0 && (
        <iframe
          ref={frame}
          title="Preview of the portal"
          src={previewPath}
          // It has our scripts, and neither opens windows nor leaves the console.
          sandbox="allow-scripts allow-same-origin"
          width={width}
          height={space.height / scale}
          style={scale < 1 ? { transform: `scale(${scale})` } : {}}
        />
      )}
    </div>
  );
}

function useSize() {
  const around = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      setSize({ width, height });
    });
    observer.observe(around.current!);
    return () => observer.disconnect();
  }, []);
  return [size, around] as const;
}
