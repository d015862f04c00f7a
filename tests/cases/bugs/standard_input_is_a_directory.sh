mkdir d
for c in cat 'cut -c1' md5sum 'paste -' nl fold 'comm - /dev/null'; do
  $c < d
  echo "$?"
done 2>&1
