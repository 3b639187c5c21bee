import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { formatClock, formatMinute, formatMonthDay, formatNumber, formatShort, formatUtcMonth } from "../lib/format.ts";
import { type ChartMark, type ChartProps, type ChartSeries, marksBetween, soFar } from "./chart-types.ts";

/** Draws on a canvas with the colours of the theme. Redraws when the theme, the size or the numbers change. */
export default function ChartCanvas(props: ChartProps & { height: number }) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  // Compares the numbers, not the arrays: a parent that renders again with equal numbers must not cause a redraw.
  const content = JSON.stringify([props.times, props.series, props.marks, props.isStacked, props.isLastIncomplete]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `content` is derived from the props that are read through the ref
  useEffect(() => {
    const element = box.current!;
    let plot = draw(element, latest.current);
    const redraw = () => {
      plot.destroy();
      plot = draw(element, latest.current);
    };
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: latest.current.height }),
    );
    resized.observe(element);
    const themed = new MutationObserver(redraw);
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", redraw);
    return () => {
      resized.disconnect();
      themed.disconnect();
      scheme.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [content]);

  return <div ref={box} className="chart-plot" />;
}

function draw(element: HTMLElement, props: ChartProps & { height: number }): uPlot {
  const { times, series, height, isStacked, marks = [], formatAxis = formatShort } = props;
  const color = colorsOf(element);
  const drawn = isStacked ? stacked(series) : series.map(({ values }) => values);
  const axis: uPlot.Axis = {
    stroke: color("faint"),
    font: `12px ${getComputedStyle(element).fontFamily}`,
    grid: { stroke: color("chart-grid"), width: 1 },
    ticks: { show: false },
  };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, low, high) => padded(low, high, times, series) },
      y: { range: (_, __, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 32,
        space: 64,
        values: (_, splits, __, ___, step) => timeLabels(splits, step),
      },
      {
        ...axis,
        size: 60,
        space: 36,
        ...incrementsFor(drawn),
        values: (_, splits) => splits.map((value) => formatAxis(value)),
      },
    ],
    series: [{}, ...series.map((each) => seriesOptions(each, color))],
    plugins: [
      tooltip(element, props),
      ...(props.isLastIncomplete ? [incompleteStep(times, color)] : []),
      ...(marks.length > 0 ? [verticals(marks, color("faint"))] : []),
    ],
  };
  if (isStacked && !hasBars(series))
    options.bands = series.slice(1).map((_, index) => ({ series: [index + 2, index + 1] }));
  return new uPlot(options, [times.map((time) => time / 1000), ...drawn] as uPlot.AlignedData, element);
}

/** Hours within a day; the date at midnight, and wherever a step is a day or more; months, which may begin earlier than in UTC. */
function timeLabels(splits: number[], stepSeconds: number): string[] {
  return splits.map((seconds) => {
    if (stepSeconds >= 28 * 86_400) return formatUtcMonth((seconds + 43_200) * 1000);
    const date = new Date(seconds * 1000);
    const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
    return stepSeconds >= 86_400 || isMidnight ? formatMonthDay(date.getTime()) : formatClock(date.getTime());
  });
}

function seriesOptions(
  { label, color: name, kind = "line" }: ChartSeries,
  color: (name: string) => string,
): uPlot.Series {
  const stroke = color(name);
  const points: uPlot.Series.Points = { show: true, size: 4, fill: stroke, filter: isolatedPoints };
  const shared: uPlot.Series = { label, stroke, width: 1.5, points };
  if (kind === "area") return { ...shared, fill: `color-mix(in srgb, ${stroke} 22%, transparent)` };
  if (kind === "bars")
    return {
      ...shared,
      points: { show: false },
      width: 0,
      fill: stroke,
      paths: uPlot.paths.bars!({ size: [0.7, 40], radius: 0.1 }),
    };
  if (kind === "dashed") return { ...shared, dash: [6, 4] };
  return kind === "dotted" ? { ...shared, dash: [2, 3] } : shared;
}

/** A value without neighbours has no line: only such values are drawn as points. */
function isolatedPoints({ data }: uPlot, index: number): number[] {
  const values = [...data[index]!];
  return values.flatMap((value, at) => (value != null && values[at - 1] == null && values[at + 1] == null ? [at] : []));
}

/** Requests are counted in whole numbers. */
function incrementsFor(series: (number | null)[][]): { incrs?: number[] } {
  if (!series.every((values) => values.every((value) => Number.isInteger(value ?? 0)))) return {};
  const incrs = Array.from({ length: 14 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
  return { incrs };
}

/** Bars are centred on their time: the first and last need half a step of padding. */
function padded(low: number, high: number, times: number[], series: ChartSeries[]): uPlot.Range.MinMax {
  if (times.length < 2 || !hasBars(series)) return [low, high];
  const half = (high - low) / (times.length - 1) / 2;
  return [low - half, high + half];
}

const hasBars = (series: ChartSeries[]): boolean => series.some(({ kind }) => kind === "bars");

/** Bars are drawn over each other: the first has the height of all. */
function stacked(series: ChartSeries[]): (number | null)[][] {
  let below: number[] = [];
  const sums = (hasBars(series) ? series.toReversed() : series).map(({ values }) => {
    below = values.map((value, index) => (value ?? 0) + (below[index] ?? 0));
    return below;
  });
  return hasBars(series) ? sums.reverse() : sums;
}

/** Canvas does not support custom properties: the token's computed value is used. */
function colorsOf(element: HTMLElement): (name: string) => string {
  const probe = document.createElement("i");
  probe.hidden = true;
  element.append(probe);
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    probe.style.color = `var(--${name})`;
    const value = getComputedStyle(probe).color;
    known.set(name, value);
    return value;
  };
}

function tooltip(
  element: HTMLElement,
  { series, times, marks = [], format = formatNumber, formatTime = formatMinute, isLastIncomplete }: ChartProps,
): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = "chart-tooltip";
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(box);
      },
      setCursor: (plot) => {
        const { idx, left = -1 } = plot.cursor;
        box.hidden = idx === null || idx === undefined || left < 0;
        if (box.hidden) return;
        const lines = series.map(({ label, values }) => [label, values[idx!]] as const);
        box.replaceChildren(
          line(`${formatTime(times[idx!]!)}${isLastIncomplete && idx === times.length - 1 ? soFar : ""}`, "strong"),
          ...lines.filter(([, value]) => value != null).map(([label, value]) => line(`${label}: ${format(value!)}`)),
          ...marksBetween(marks, times, idx!).map(({ label }) => line(`Deployed: ${label}`)),
        );
        const isRight = left > element.clientWidth / 2;
        box.style.left = isRight ? "auto" : `${left + 12}px`;
        box.style.right = isRight ? `${plot.over.clientWidth - left + 12}px` : "auto";
      },
    },
  };
}

function line(text: string, className = ""): HTMLElement {
  const element = document.createElement("div");
  element.textContent = text;
  element.className = className;
  return element;
}

/** Fades and hatches the way to the last point: its count still grows. */
function incompleteStep(times: number[], color: (name: string) => string): uPlot.Plugin {
  return {
    hooks: {
      draw: ({ ctx, bbox, valToPos }) => {
        if (times.length < 2) return;
        const from = Math.round(valToPos(times.at(-2)! / 1000, "x", true));
        const to = Math.round(valToPos(times.at(-1)! / 1000, "x", true)) + devicePixelRatio;
        ctx.save();
        ctx.beginPath();
        ctx.rect(from, bbox.top, to - from, bbox.height);
        ctx.clip();
        ctx.globalAlpha = 0.55;
        ctx.fillStyle = color("surface");
        ctx.fillRect(from, bbox.top, to - from, bbox.height);
        ctx.globalAlpha = 1;
        ctx.strokeStyle = color("border-strong");
        ctx.lineWidth = devicePixelRatio;
        ctx.beginPath();
        for (let x = from - bbox.height; x < to; x += 6 * devicePixelRatio) {
          ctx.moveTo(x, bbox.top + bbox.height);
          ctx.lineTo(x + bbox.height, bbox.top);
        }
        ctx.stroke();
        ctx.restore();
      },
    },
  };
}

/** A label is omitted if it would overlap the previous one: the line and the tooltip remain. */
function verticals(marks: ChartMark[], stroke: string): uPlot.Plugin {
  return {
    hooks: {
      draw: ({ ctx, bbox, valToPos }) => {
        const gap = 4 * devicePixelRatio;
        ctx.save();
        ctx.strokeStyle = stroke;
        ctx.fillStyle = stroke;
        ctx.lineWidth = devicePixelRatio;
        ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
        ctx.font = `${11 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
        ctx.textAlign = "left";
        ctx.textBaseline = "alphabetic";
        let free = bbox.left;
        for (const { time, label } of marks) {
          const x = Math.round(valToPos(time / 1000, "x", true));
          if (x < bbox.left || x > bbox.left + bbox.width) continue;
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
          const { width } = ctx.measureText(label);
          const start = x + gap + width > bbox.left + bbox.width ? x - gap - width : x + gap;
          if (start < free) continue;
          ctx.fillText(label, start, bbox.top + 11 * devicePixelRatio);
          free = start + width + gap;
        }
        ctx.restore();
      },
    },
  };
}
