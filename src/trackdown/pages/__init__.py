"""What self-contained pages are made of: markup that escapes by construction, and files that are whole or not there."""
