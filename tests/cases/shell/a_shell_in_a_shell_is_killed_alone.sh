bash -c 'kill $$; echo no'; echo $?
bash -c 'kill -9 $$; echo no'; echo $?
bash -c 'trap "echo t" TERM; kill $$; echo after'; echo $?
echo 'kill -USR1 $$; echo no' >s; chmod +x s; ./s; echo $?
