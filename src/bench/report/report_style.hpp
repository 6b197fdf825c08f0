#pragma once

#include <string_view>

namespace skde::bench {

/// The style of report pages. The backgrounds are those of the charts' themes (chart_style.hpp).
inline constexpr std::string_view kReportStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1c1e21; --muted: #5c6269; --line: #cdd1d6; --soft: #f3f5f7;
  --good: #00694c; --warn: #9a4300;
}
.dark { display: none; }
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #181a1e; --ink: #ebedf0; --muted: #a0a7af; --line: #444950; --soft: #22252a;
    --good: #20b88c; --warn: #f08030;
  }
  .light { display: none; }
  .dark { display: inline; }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.5rem clamp(0.75rem, 3vw, 2.5rem) 4rem; max-width: 84rem;
  background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: break-word;
}
h1 { font-size: 1.6rem; margin: 0 0 0.25rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; padding-top: 0.5rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 0.5rem; }
p { margin: 0.25rem 0 0.75rem; max-width: 48rem; }
.lead, caption, dt, .reason { color: var(--muted); }
.warning { color: var(--warn); font-weight: 600; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0.75rem 0; }
a { color: inherit; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0.5rem 2rem; margin: 0; }
dl div { min-width: 0; }
dl div:last-child { grid-column: 1 / -1; }
dt { font-size: 0.85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 29rem), 1fr)); gap: 1.25rem; }
figure { margin: 0; min-width: 0; max-width: 42rem; border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
figure svg { display: block; width: 100%; height: auto; }
details { margin-top: 1rem; }
summary { cursor: pointer; margin-bottom: 0.75rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; margin-bottom: 1rem; }
.results { width: 100%; }
caption { text-align: left; padding-bottom: 0.25rem; }
th, td { padding: 0.25rem 0.75rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child { text-align: left; }
thead th { font-weight: 600; border-bottom-width: 2px; }
tbody th { font-weight: 400; }
.results tr:not(.case) > th:first-child { position: sticky; left: 0; background: var(--paper); }
.case th { background: var(--soft); font-weight: 600; text-align: left; white-space: normal; }
.case span { position: sticky; left: 0.75rem; display: inline-block; max-width: calc(100vw - 4rem); }
.best th, .best td:nth-of-type(1) { font-weight: 700; }
.reason { text-align: left; white-space: normal; min-width: 16rem; }
.skipped .status { color: var(--muted); }
.failed .status, .wrong .status, .inexact .status, .inexact .error { color: var(--warn); font-weight: 600; }
abbr { font-size: 0.75rem; color: var(--good); text-decoration: none; border: 1px solid; border-radius: 3px; padding: 0 0.25rem; }
@media print { details { display: block; } nav { display: none; } figure { break-inside: avoid; } }
)css";

}  // namespace skde::bench
