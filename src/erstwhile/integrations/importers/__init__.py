"""Import the records of other memory programs.

A reader turns a file into `ImportedRecords`; `import_records.py` stores them. To add a program,
write a reader and add its line to `registry.py`.
"""
