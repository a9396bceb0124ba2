'use strict';
// A table is sorted by a click, or Enter, on a heading; again for the other way round. Empty cells stay at the end.
for (const table of document.querySelectorAll('table.sorts')) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, at) => {
    const label = head.querySelector('.label');
    const button = document.createElement('button');
    button.type = 'button';
    button.title = 'Sort by this column';
    button.append(...label.childNodes);
    label.append(button);
    const isNumber = head.classList.contains('number');
    const compare = (one, other) => isNumber ? one - other : one.localeCompare(other);
    button.addEventListener('click', () => {
      const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', sign === 1 ? 'ascending' : 'descending');
      const key = row => row.cells[at].dataset.sort;
      const rows = Array.from(body.rows);
      rows.sort((one, other) => {
        const [first, second] = [key(one), key(other)];
        if (first === '' || second === '') return (first === '') - (second === '');
        return sign * compare(first, second);
      });
      body.append(...rows);
    });
  });
}
// On paper nothing can be opened.
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('.prints details, details.prints')) details.open = true;
});
