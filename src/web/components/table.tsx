import { ChevronDown, ChevronLeft, ChevronRight, ChevronsUpDown, ChevronUp } from "lucide-react";
import { type FormEvent, type MouseEvent, type ReactNode, useEffect, useRef } from "react";
import { formatNumber } from "../lib/format.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { LoadError, Skeleton } from "./notice.tsx";

export interface Column<Row> {
  label: string;
  render: (row: Row) => ReactNode;
  isNumber?: boolean;
  /** Long text: it fills the remaining width and is truncated with an ellipsis. */
  isText?: boolean | "wide";
  /** Omitted in windows that are not wide. */
  isMinor?: boolean;
  /** At the end of a row's first line in narrow windows; it needs no label. */
  isLead?: boolean;
  /** Buttons at the end of the row; the label is only for screen readers. */
  isActions?: boolean;
  /** A checkbox that selects the row. */
  isSelect?: boolean;
  /** Makes the header a button. Undefined if the list cannot be sorted by this column. */
  sort?: { isActive: boolean; direction: "ascending" | "descending"; onToggle: () => void } | undefined;
  /** Shown instead of the label, such as a checkbox for all rows; the label still names the column. */
  head?: ReactNode;
}

/** The buttons at the end of each row. */
export const actionsColumn = <Row,>(render: Column<Row>["render"]): Column<Row> => ({
  label: "Actions",
  isActions: true,
  render,
});

/** What people wrote about each row. */
export const descriptionColumn = <Row extends { description?: string | null | undefined }>(
  look?: Pick<Column<Row>, "isText" | "isMinor">,
): Column<Row> => ({
  label: "Description",
  isText: true,
  ...look,
  render: ({ description }) => description && <span title={description}>{description}</span>,
});

type RowButtonProps = Pick<ButtonProps, "denied" | "onClick"> & { verb: string; of: string };

/** A verb at the end of a row. Screen readers also say of which row. */
export const RowButton = ({ verb, of, ...button }: RowButtonProps) => (
  <Button {...button} kind="quiet" isSmall aria-label={`${verb} ${of}`}>
    {verb}
  </Button>
);

interface RowsProps<Row> {
  /** The caption of the table, for screen readers. */
  caption: string;
  columns: Column<Row>[];
  /** Undefined while loading. */
  rows: Row[] | undefined;
  /** Called on a click anywhere in the row, in addition to the link in the first cell. */
  onOpen?: (row: Row) => void;
  isSelected?: (row: Row) => boolean;
  /** Rows open in a panel by their keys. The arrow keys open the panel of the next row. */
  panel?: { shown: string | undefined; open: (key: string) => void };
  skeletonRows?: number;
}

/** The key of a row is its id, unless it is given. */
type Keyed<Row> = Row extends { id: string } ? { keyOf?: (row: Row) => string } : { keyOf: (row: Row) => string };

const idOf = (row: unknown) => (row as { id: string }).id;

/** Rows of 40 px under a sticky header; of two lines in narrow windows. */
export function Table<Row>(props: RowsProps<Row> & Keyed<Row>) {
  const { keyOf = idOf } = props;
  const table: RowsProps<Row> = props;
  return <KeyedTable {...table} keyOf={keyOf} />;
}

function KeyedTable<Row>(props: RowsProps<Row> & { keyOf: (row: Row) => string }) {
  const { caption, columns, rows, keyOf, isSelected, panel, skeletonRows = 8 } = props;
  const { onOpen = panel && ((row: Row) => panel.open(keyOf(row))) } = props;
  const openRow = panel?.shown;
  useArrowKeys({ rows, keyOf, onOpen, openRow });
  const open = (row: Row) => (event: MouseEvent) => {
    const isControl = (event.target as Element).closest("a, button, input, label, select, [role=menu], [role=dialog]");
    if (!isControl && !window.getSelection()?.toString()) onOpen?.(row);
  };
  const title = columns.findIndex(({ isSelect }) => !isSelect);
  return (
    <div className="table-box" data-stacked>
      <table className="table" aria-busy={rows === undefined}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ label, isNumber, isActions, isMinor, sort, head }) => (
              <th
                key={label}
                scope="col"
                data-align={isNumber ? "end" : undefined}
                data-minor={isMinor || undefined}
                aria-sort={sort?.isActive ? sort.direction : undefined}
              >
                {sort ? (
                  <button type="button" className="sort" onClick={sort.onToggle}>
                    {label}
                    <SortIcon {...sort} />
                  </button>
                ) : (
                  (head ?? (isActions ? <span className="visually-hidden">{label}</span> : label))
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            ? rows.map((row) => (
                <tr
                  key={keyOf(row)}
                  data-clickable={onOpen ? true : undefined}
                  data-selected={isSelected?.(row) || keyOf(row) === openRow || undefined}
                  data-open={keyOf(row) === openRow || undefined}
                  onClick={onOpen && open(row)}
                >
                  {columns.map((column, index) => (
                    <td
                      key={column.label}
                      data-label={column.label}
                      data-align={column.isNumber ? "end" : undefined}
                      data-minor={column.isMinor || undefined}
                      data-wide={column.isText === "wide" || undefined}
                      className={classOf(column, index === title)}
                    >
                      {column.render(row)}
                    </td>
                  ))}
                </tr>
              ))
            : Array.from({ length: skeletonRows }, (_, row) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: placeholder rows have no other identity
                <tr key={row}>
                  {columns.map((column, index) => (
                    <td
                      key={column.label}
                      data-minor={column.isMinor || undefined}
                      className={classOf(column, index === title)}
                    >
                      {!column.isActions && !column.isSelect && (
                        <Skeleton width={60 + ((row * 37 + index * 53) % 90)} />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  );
}

interface PlainTableProps<Row> extends Pick<RowsProps<Row>, "caption" | "columns"> {
  rows: Row[];
  keyOf: (row: Row) => string;
}

/** A few rows in a dialog or a panel, which stay a table in narrow windows. */
export function PlainTable<Row>({ caption, columns, rows, keyOf }: PlainTableProps<Row>) {
  const align = ({ isNumber }: Column<Row>) => (isNumber ? "end" : undefined);
  return (
    <div className="table-scroll">
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" key={column.label} data-align={align(column)}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.label} data-align={align(column)}>
                  {column.render(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where the arrow keys have a meaning of their own. */
const usesArrowKeys = "input, textarea, select, [contenteditable], [role=menu], [role=listbox], [role=tab], .dialog";

interface ArrowKeys<Row> {
  rows: Row[] | undefined;
  keyOf: (row: Row) => string;
  onOpen: ((row: Row) => void) | undefined;
  openRow: string | undefined;
}

/** The arrow keys open the next or previous row while one is open. */
function useArrowKeys<Row>({ rows, keyOf, onOpen, openRow }: ArrowKeys<Row>): void {
  const latest = useRef({ rows, keyOf, onOpen, openRow });
  latest.current = { rows, keyOf, onOpen, openRow };
  const isOpen = openRow !== undefined;
  useEffect(() => {
    if (!isOpen) return;
    const move = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if ((event.target as Element).closest(usesArrowKeys)) return;
      const { rows = [], keyOf, onOpen, openRow } = latest.current;
      const index = rows.findIndex((row) => keyOf(row) === openRow);
      const next = index < 0 ? undefined : rows[index + step];
      if (next === undefined) return;
      event.preventDefault();
      onOpen?.(next);
    };
    // Before the panel, which stops the propagation of arrow keys.
    window.addEventListener("keydown", move, true);
    return () => window.removeEventListener("keydown", move, true);
  }, [isOpen]);
  useEffect(() => {
    if (openRow !== undefined) document.querySelector("tr[data-open]")?.scrollIntoView({ block: "nearest" });
  }, [openRow]);
}

function SortIcon({ isActive, direction }: { isActive: boolean; direction: "ascending" | "descending" }) {
  const Icon = !isActive ? ChevronsUpDown : direction === "ascending" ? ChevronUp : ChevronDown;
  return <Icon size={12} aria-hidden />;
}

function classOf({ isText, isActions, isSelect, isLead }: Column<never>, isTitle: boolean) {
  if (isActions || isSelect) return isActions ? "cell-actions" : "cell-select";
  return [isTitle && "cell-title", isLead && "cell-lead", isText && "cell-text"].filter(Boolean).join(" ") || undefined;
}

export const pageSize = 50;

interface PagerProps {
  page: number;
  total: number | undefined;
  size?: number;
  onPage: (page: number) => void;
}

/** "1–50 of 12,304", and links to the other pages. `page` counts from 1. */
export function Pager({ page, total, size = pageSize, onPage }: PagerProps) {
  if (total === undefined) return <div className="table-foot" />;
  const first = (page - 1) * size;
  const last = Math.min(first + size, total);
  const pages = Math.ceil(total / size);
  if (total > 0 && first >= total)
    return (
      <div className="table-foot">
        <span>{`There is no page ${formatNumber(page)}.`}</span>
        <Button isSmall onClick={() => onPage(pages)}>
          Last page
        </Button>
      </div>
    );
  return (
    <div className="table-foot">
      <span className="number">
        {total === 0 ? "None" : `${formatNumber(first + 1)}–${formatNumber(last)} of ${formatNumber(total)}`}
      </span>
      {total > size && (
        <span className="row">
          {pages > manyPages && <PageJump key={page} page={page} pages={pages} onPage={onPage} />}
          <Button isSmall disabled={page <= 1} onClick={() => onPage(page - 1)}>
            <ChevronLeft size={14} aria-hidden />
            Prev
          </Button>
          <Button isSmall disabled={last >= total} onClick={() => onPage(page + 1)}>
            Next
            <ChevronRight size={14} aria-hidden />
          </Button>
        </span>
      )}
    </div>
  );
}

/** What a query has read: all rows, or a page of them. */
interface Listed<Row> {
  data: Row[] | { data: Row[]; total?: number } | undefined;
  error: unknown;
}

type ListProps<Row> = Omit<RowsProps<Row>, "rows"> &
  Keyed<Row> &
  Pick<PagerProps, "size"> & {
    of: Listed<Row>;
    /** The error of something that is read before the list. */
    error?: unknown;
    /** Shown instead of the table if the list has no row. */
    empty?: ReactNode;
    /** Shown above the table, such as the actions for the selected rows. */
    above?: ReactNode;
    /** Shown below the table instead of the links to pages. */
    foot?: ReactNode;
    /** The newest first, of a list that begins with the oldest. */
    isReversed?: boolean;
    page?: number;
    /** For a list that is read by pages. */
    onPage?: (page: number) => void;
  };

/** The table of a list: its error, its first step if it is empty, and the links to its pages. */
export function List<Row>(props: ListProps<Row>) {
  const { of, error = of.error, empty, above, foot, isReversed, page = 1, size, onPage, keyOf = idOf } = props;
  const { data: rows, total = rows?.length } = Array.isArray(of.data)
    ? { data: of.data }
    : { total: undefined, ...of.data };
  const table: Omit<RowsProps<Row>, "rows"> = props;
  if (error) return <LoadError error={error} />;
  if (total === 0 && empty) return empty;
  return (
    <>
      {above}
      <KeyedTable {...table} keyOf={keyOf} rows={isReversed ? rows?.toReversed() : rows} />
      {onPage ? <Pager page={page} total={total} size={size} onPage={onPage} /> : foot}
    </>
  );
}

interface LoadOlderProps {
  of: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  children: ReactNode;
}

/** The foot of a list that is read from its newest entry on. */
export function LoadOlder({ of, children }: LoadOlderProps) {
  return (
    <div className="table-foot">
      <span>{children}</span>
      {of.hasNextPage && (
        <Button isSmall isBusy={of.isFetchingNextPage} onClick={() => of.fetchNextPage()}>
          Load older
        </Button>
      )}
    </div>
  );
}

/** Up to this number of pages there is no field for jumping to a page. */
const manyPages = 5;

function PageJump({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  const jump = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = Math.min(Math.round(Number(new FormData(event.currentTarget).get("page"))), pages);
    if (wanted > 0 && wanted !== page) onPage(wanted);
  };
  return (
    <form className="page-jump" onSubmit={jump}>
      <label className="row">
        Page
        <input className="input number" name="page" inputMode="numeric" autoComplete="off" defaultValue={page} />
      </label>
      <span className="number">of {formatNumber(pages)}</span>
    </form>
  );
}
