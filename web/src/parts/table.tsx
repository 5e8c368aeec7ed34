// The numbers of a figure as a table, below it.
import type {ComponentChildren} from 'preact';
import {useState} from 'preact/hooks';
import {formatCount} from './format';

export interface Column {
  name: string;
  kind?: 'name' | 'right'; // a long name that may wrap; a number
}

const shownFirst = 200;

export function Rows({columns, rows, label}: {columns: Column[]; rows: ComponentChildren[][]; label: string}) {
  const [all, setAll] = useState(false);
  const shown = all ? rows : rows.slice(0, shownFirst);
  return (
    <>
      <div class="scroll" tabindex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map((column, i) => (
                <th key={i} scope="col" class={column.kind}>
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, i) => (
              <tr key={i}>
                {row.map((cell, j) => (
                  <td key={j} class={columns[j]?.kind}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < rows.length && (
        <button type="button" onClick={() => setAll(true)}>
          Show all {formatCount(rows.length)} rows
        </button>
      )}
    </>
  );
}

// `rows` are made when the table is opened: there may be many.
export function AsTable({columns, rows, label}: {columns: Column[]; rows: () => ComponentChildren[][]; label: string}) {
  const [open, setOpen] = useState(false);
  return (
    <details class="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && <Rows columns={columns} rows={rows()} label={label} />}
    </details>
  );
}
